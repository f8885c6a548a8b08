package sqlite

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// disk is a file system for SQLite that hands everything on to the real one, and can fail, wait, be full, and remember what
// was written. It is a table of functions in SQLite's terms: each file has a header of ours before the real one's data.
type disk struct {
	name    string
	real    uintptr // the real file system
	methods uintptr // of files, in SQLite's memory

	mu      sync.Mutex
	before  func(op) int32 // says whether a write goes on (SQLITE_OK), or its error
	entered func(op)       // hears of each write that went on, before it does
}

// op is something that changes what a kill, or a loss of power, would leave behind.
type op struct {
	kind string // write, truncate, sync, delete, or committed: what was to be written is, and the caller is about to be told
	file string // the base name
	at   int64  // where; of a deletion, whether the folder is synced after it
	data []byte
}

// header comes before the real file's data.
type header struct {
	methods uintptr
	disk    uintptr
	name    uintptr // the file's, in SQLite's memory, where it lives as long as the file is open
	_       int64   // keeps the real data aligned
}

const headerSize = unsafe.Sizeof(header{})

// diskCount makes names: SQLite knows file systems by theirs.
var diskCount atomic.Int64

func newDisk(t *testing.T) *disk {
	t.Helper()
	tls := libc.NewTLS()
	d := &disk{name: fmt.Sprint("disk", diskCount.Add(1)), real: lib.Xsqlite3_vfs_find(tls, 0)}
	name, err := libc.CString(d.name)
	require.NoError(t, err)
	// SQLite's memory, and not Go's: the race detector checks that SQLite's pointers stay in it.
	vfs := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	v := as[lib.Tsqlite3_vfs](vfs)
	*v = *as[lib.Tsqlite3_vfs](d.real)
	v.FpNext, v.FzName, v.FpAppData = 0, name, uintptr(unsafe.Pointer(d))
	v.FszOsFile += int32(headerSize)
	v.FxOpen, v.FxDelete = code(diskOpen), code(diskDelete)
	d.methods = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	*as[lib.Tsqlite3_io_methods](d.methods) = lib.Tsqlite3_io_methods{
		FiVersion: 3, FxClose: code(fileClose), FxRead: code(fileRead), FxWrite: code(fileWrite), FxTruncate: code(fileTruncate),
		FxSync: code(fileSync), FxFileSize: code(fileSize), FxLock: code(fileLock), FxUnlock: code(fileUnlock),
		FxCheckReservedLock: code(fileReserved), FxFileControl: code(fileControl), FxSectorSize: code(fileSector),
		FxDeviceCharacteristics: code(fileCharacteristics), FxShmMap: code(fileShmMap), FxShmLock: code(fileShmLock),
		FxShmBarrier: code(fileShmBarrier), FxShmUnmap: code(fileShmUnmap), FxFetch: code(fileFetch), FxUnfetch: code(fileUnfetch),
	}
	require.Zero(t, lib.Xsqlite3_vfs_register(tls, vfs, 0))
	t.Cleanup(func() {
		require.Zero(t, lib.Xsqlite3_vfs_unregister(tls, vfs))
		for _, p := range []uintptr{name, vfs, d.methods} {
			libc.Xfree(tls, p)
		}
		tls.Close()
	})
	return d
}

// on is the option that puts a store on the disk.
func (d *disk) on(o *options) { o.vfs = d.name }

// set says what is asked before each write.
func (d *disk) set(before func(op) int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = before
}

func (d *disk) ask(o op) int32 {
	d.mu.Lock()
	before, entered := d.before, d.entered
	d.mu.Unlock()
	if before != nil {
		if rc := before(o); rc != lib.SQLITE_OK {
			return rc
		}
	}
	if entered != nil {
		entered(o)
	}
	return lib.SQLITE_OK
}

// as reads memory of SQLite's.
func as[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// code is a function's address as SQLite keeps it. The function is a global one, so that nothing moves or frees it.
func code[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// function is what code was made from.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

func under(file uintptr) (*header, *disk, *lib.Tsqlite3_io_methods, uintptr) {
	h := as[header](file)
	real := file + headerSize
	return h, as[disk](h.disk), as[lib.Tsqlite3_io_methods](as[lib.Tsqlite3_file](real).FpMethods), real
}

func base(name uintptr) string {
	if name == 0 {
		return ""
	}
	return filepath.Base(libc.GoString(name))
}

type (
	openFunc    = func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32
	deleteFunc  = func(*libc.TLS, uintptr, uintptr, int32) int32
	bytesFunc   = func(*libc.TLS, uintptr, uintptr, int32, int64) int32
	numberFunc  = func(*libc.TLS, uintptr, int64) int32
	flagsFunc   = func(*libc.TLS, uintptr, int32) int32
	plainFunc   = func(*libc.TLS, uintptr) int32
	pointerFunc = func(*libc.TLS, uintptr, uintptr) int32
	controlFunc = func(*libc.TLS, uintptr, int32, uintptr) int32
	shmMapFunc  = func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32
	shmLockFunc = func(*libc.TLS, uintptr, int32, int32, int32) int32
	barrierFunc = func(*libc.TLS, uintptr)
	fetchFunc   = func(*libc.TLS, uintptr, int64, int32, uintptr) int32
	unfetchFunc = func(*libc.TLS, uintptr, int64, uintptr) int32
)

func diskOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	d := as[disk](as[lib.Tsqlite3_vfs](vfs).FpAppData)
	*as[header](file) = header{}
	rc := function[openFunc](as[lib.Tsqlite3_vfs](d.real).FxOpen)(tls, d.real, name, file+headerSize, flags, out)
	if as[lib.Tsqlite3_file](file+headerSize).FpMethods != 0 {
		*as[header](file) = header{methods: d.methods, disk: uintptr(unsafe.Pointer(d)), name: name}
	}
	return rc
}

func diskDelete(tls *libc.TLS, vfs, name uintptr, sync int32) int32 {
	d := as[disk](as[lib.Tsqlite3_vfs](vfs).FpAppData)
	if rc := d.ask(op{kind: "delete", file: base(name), at: int64(sync)}); rc != lib.SQLITE_OK {
		return rc
	}
	return function[deleteFunc](as[lib.Tsqlite3_vfs](d.real).FxDelete)(tls, d.real, name, sync)
}

func fileClose(tls *libc.TLS, file uintptr) int32 {
	h, _, m, real := under(file)
	rc := function[plainFunc](m.FxClose)(tls, real)
	h.methods = 0
	return rc
}

func fileRead(tls *libc.TLS, file, buf uintptr, n int32, at int64) int32 {
	_, _, m, real := under(file)
	return function[bytesFunc](m.FxRead)(tls, real, buf, n, at)
}

func fileWrite(tls *libc.TLS, file, buf uintptr, n int32, at int64) int32 {
	h, d, m, real := under(file)
	data := append([]byte(nil), unsafe.Slice(as[byte](buf), int(n))...)
	if rc := d.ask(op{kind: "write", file: base(h.name), at: at, data: data}); rc != lib.SQLITE_OK {
		return rc
	}
	return function[bytesFunc](m.FxWrite)(tls, real, buf, n, at)
}

func fileTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	h, d, m, real := under(file)
	if rc := d.ask(op{kind: "truncate", file: base(h.name), at: size}); rc != lib.SQLITE_OK {
		return rc
	}
	return function[numberFunc](m.FxTruncate)(tls, real, size)
}

func fileSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	h, d, m, real := under(file)
	if rc := d.ask(op{kind: "sync", file: base(h.name)}); rc != lib.SQLITE_OK {
		return rc
	}
	return function[flagsFunc](m.FxSync)(tls, real, flags)
}

func fileSize(tls *libc.TLS, file, size uintptr) int32 {
	_, _, m, real := under(file)
	return function[pointerFunc](m.FxFileSize)(tls, real, size)
}

func fileLock(tls *libc.TLS, file uintptr, level int32) int32 {
	_, _, m, real := under(file)
	return function[flagsFunc](m.FxLock)(tls, real, level)
}

func fileUnlock(tls *libc.TLS, file uintptr, level int32) int32 {
	_, _, m, real := under(file)
	return function[flagsFunc](m.FxUnlock)(tls, real, level)
}

func fileReserved(tls *libc.TLS, file, out uintptr) int32 {
	_, _, m, real := under(file)
	return function[pointerFunc](m.FxCheckReservedLock)(tls, real, out)
}

func fileControl(tls *libc.TLS, file uintptr, what int32, arg uintptr) int32 {
	h, d, m, real := under(file)
	if what == lib.SQLITE_FCNTL_COMMIT_PHASETWO {
		if rc := d.ask(op{kind: "committed", file: base(h.name)}); rc != lib.SQLITE_OK {
			return rc
		}
	}
	return function[controlFunc](m.FxFileControl)(tls, real, what, arg)
}

func fileSector(tls *libc.TLS, file uintptr) int32 {
	_, _, m, real := under(file)
	return function[plainFunc](m.FxSectorSize)(tls, real)
}

func fileCharacteristics(tls *libc.TLS, file uintptr) int32 {
	_, _, m, real := under(file)
	return function[plainFunc](m.FxDeviceCharacteristics)(tls, real)
}

func fileShmMap(tls *libc.TLS, file uintptr, page, size, extend int32, out uintptr) int32 {
	_, _, m, real := under(file)
	return function[shmMapFunc](m.FxShmMap)(tls, real, page, size, extend, out)
}

func fileShmLock(tls *libc.TLS, file uintptr, at, n, flags int32) int32 {
	_, _, m, real := under(file)
	return function[shmLockFunc](m.FxShmLock)(tls, real, at, n, flags)
}

func fileShmBarrier(tls *libc.TLS, file uintptr) {
	_, _, m, real := under(file)
	function[barrierFunc](m.FxShmBarrier)(tls, real)
}

func fileShmUnmap(tls *libc.TLS, file uintptr, remove int32) int32 {
	_, _, m, real := under(file)
	return function[flagsFunc](m.FxShmUnmap)(tls, real, remove)
}

func fileFetch(tls *libc.TLS, file uintptr, at int64, n int32, out uintptr) int32 {
	_, _, m, real := under(file)
	return function[fetchFunc](m.FxFetch)(tls, real, at, n, out)
}

func fileUnfetch(tls *libc.TLS, file uintptr, at int64, p uintptr) int32 {
	_, _, m, real := under(file)
	return function[unfetchFunc](m.FxUnfetch)(tls, real, at, p)
}
