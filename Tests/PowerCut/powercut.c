/* Records the changes that a program makes to the files of one folder, and its flushes. For tests only: preloaded, never linked.
 *
 * From this record a test can compute what a disk may hold if the power fails at any moment of the program's life. The calls
 * themselves are passed on unchanged. Calls that fail are not recorded.
 *
 *   GREENTEA_POWERCUT_FOLDER   the folder, as realpath(3) returns it; without it, nothing is recorded
 *   GREENTEA_POWERCUT_JOURNAL  the file to which records are appended, outside of the folder
 *   GREENTEA_POWERCUT_BOOT     a file that is read in place of the kernel's boot id, so that the program sees a separate boot
 *   GREENTEA_POWERCUT_FAIL     PATH:N:ERRNO, such as log/data.mdb:3:5: the Nth flush of this file fails, and the data to flush
 *                              never reaches the disk; a write that flushes counts as a flush
 *   GREENTEA_POWERCUT_ANSWERS  if set, the beginning of each write to a socket is recorded too, before it is written
 *
 * A record is a `struct head` in the machine's byte order, the path within the folder, and the written bytes. One mutex is held
 * during a call and its record, so that records are in the order of the effects. Only a flush runs without the mutex: its record
 * follows its return, and contains the number of records at its start, because the flush covers only those.
 *
 * A file is identified by the path of its descriptor in /proc, so that no table of descriptors can become wrong. Three calls are
 * deliberately not recorded. sync_file_range and sync guarantee too little. msync does not matter, because a writable shared
 * mapping is recorded, and the journal's reader rejects such a mapping of any file except LMDB's lock file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MADE = 1, WROTE, RESIZED, GREW, FLUSHED, WROTE_THROUGH, FOLDER_MADE, REMOVED, RENAMED, MAPPED, ANSWERED, FLUSH_FAILED };

/* The number of bytes recorded of an answer: enough for its head, which contains the request's id. */
enum { ANSWER_BYTES_MAX = 2048 };

struct head {
    uint32_t kind;
    uint32_t path_bytes;
    uint64_t number;  /* offset, size, or number of records; see `enum kind` in Journal.swift */
    uint64_t data_bytes;
};

static const char boot_id[] = "/proc/sys/kernel/random/boot_id";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *boot, *answers;
static char failing_path[PATH_MAX];
static int failing_in, failing_errno;
static size_t root_bytes;
static int journal = -1;
static uint64_t records;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("GREENTEA_POWERCUT_JOURNAL");
    boot = getenv("GREENTEA_POWERCUT_BOOT");
    answers = getenv("GREENTEA_POWERCUT_ANSWERS");
    const char *failure = getenv("GREENTEA_POWERCUT_FAIL");
    if (failure && sscanf(failure, "%4095[^:]:%d:%d", failing_path, &failing_in, &failing_errno) != 3) {
        fprintf(stderr, "powercut: GREENTEA_POWERCUT_FAIL is not PATH:N:ERRNO\n");
        _exit(70);
    }
    root = getenv("GREENTEA_POWERCUT_FOLDER");
    if (!root) return;
    journal = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (journal < 0) {
        fprintf(stderr, "powercut: cannot open the journal: %s\n", strerror(errno));
        _exit(70);
    }
    root_bytes = strlen(root);
}

/* Returns the part of an absolute path within the folder ("" for the folder itself), or NULL for a path elsewhere. */
static const char *within(const char *path) {
    if (!root_bytes || strncmp(path, root, root_bytes) != 0) return NULL;
    if (path[root_bytes] == '/') return path + root_bytes + 1;
    return path[root_bytes] == 0 ? path + root_bytes : NULL;
}

/* Returns the path of a descriptor within the folder; NULL for files elsewhere and for files whose name was removed. */
static const char *path_of(int fd, char space[PATH_MAX]) {
    static const char gone[] = " (deleted)";
    char link[40];
    if (!root_bytes || fd < 0) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = syscall(SYS_readlinkat, AT_FDCWD, link, space, PATH_MAX - 1);
    if (count < 0) return NULL;
    space[count] = 0;
    if (count > (ssize_t)sizeof gone && strcmp(space + count - sizeof gone + 1, gone) == 0) return NULL;
    return within(space);
}

static void append(const struct iovec *parts, int count) {
    for (int i = 0; i < count; i++) {
        const char *next = parts[i].iov_base;
        size_t left = parts[i].iov_len;
        while (left > 0) {
            ssize_t written = syscall(SYS_write, journal, next, left);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) _exit(71);  /* A journal with a gap would be worse than none. */
            next += written;
            left -= (size_t)written;
        }
    }
}

/* Appends a record and keeps errno. The caller holds the mutex. */
static void note(enum kind kind, const char *path, uint64_t number, const struct iovec *data, int parts, size_t bytes) {
    int before = errno;
    struct head head = {kind, (uint32_t)strlen(path), number, bytes};
    struct iovec front[2] = {{&head, sizeof head}, {(void *)path, head.path_bytes}};
    append(front, 2);
    for (int i = 0; i < parts && bytes > 0; i++) {
        struct iovec part = {data[i].iov_base, data[i].iov_len < bytes ? data[i].iov_len : bytes};
        append(&part, 1);
        bytes -= part.iov_len;
    }
    records++;
    errno = before;
}

/* Returns whether this flush of a file must fail, and sets errno then. Call it once for each flush, with the mutex held. */
static int fails_now(const char *path) {
    if (failing_in == 0 || strcmp(path, failing_path) != 0 || --failing_in > 0) return 0;
    errno = failing_errno;
    return 1;
}

static void note_plain(enum kind kind, const char *path, uint64_t number) { note(kind, path, number, NULL, 0, 0); }

/* Calls that write. An `offset` of -1 means the present position of the descriptor. */

static ssize_t write_on(int fd, const struct iovec *parts, int count, off_t offset) {
    if (offset < 0) return syscall(SYS_writev, fd, parts, count);
    return syscall(SYS_pwritev, fd, parts, count, offset, 0);
}

/* Records an answer before it is sent. So if a journal ends before this record, no client has received the answer. */
static void note_answer(int fd, const struct iovec *parts, int count) {
    struct stat status;
    if (!answers || journal < 0 || syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) != 0 || !S_ISSOCK(status.st_mode)) return;
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
    if (bytes > ANSWER_BYTES_MAX) bytes = ANSWER_BYTES_MAX;
    pthread_mutex_lock(&mutex);
    note(ANSWERED, "", (uint64_t)fd, parts, count, bytes);
    pthread_mutex_unlock(&mutex);
}

static ssize_t recorded_write(int fd, const struct iovec *parts, int count, off_t offset) {
    char space[PATH_MAX];
    const char *path = path_of(fd, space);
    if (!path) {
        int before = errno;
        note_answer(fd, parts, count);
        errno = before;
        return write_on(fd, parts, count, offset);
    }
    pthread_mutex_lock(&mutex);
    int through = fcntl(fd, F_GETFL) & O_DSYNC;
    int fails = through && fails_now(path);
    if (fails) note_plain(FLUSH_FAILED, path, 0);  /* No bytes were written, so none can be lost. */
    ssize_t result = fails ? -1 : write_on(fd, parts, count, offset);
    if (result > 0) {
        off_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) - result : offset;
        note(WROTE, path, (uint64_t)at, parts, count, (size_t)result);
        if (through) note_plain(WROTE_THROUGH, path, records - 1);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

ssize_t write(int fd, const void *data, size_t bytes) {
    struct iovec part = {(void *)data, bytes};
    return recorded_write(fd, &part, 1, -1);
}

ssize_t writev(int fd, const struct iovec *parts, int count) { return recorded_write(fd, parts, count, -1); }

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    struct iovec part = {(void *)data, bytes};
    if (offset < 0) return syscall(SYS_pwrite64, fd, data, bytes, offset);
    return recorded_write(fd, &part, 1, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    if (offset < 0) return syscall(SYS_pwritev, fd, parts, count, offset, 0);
    return recorded_write(fd, parts, count, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) __attribute__((alias("pwrite")));
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) __attribute__((alias("pwritev")));

/* Calls that change the size of a file. */

int ftruncate(int fd, off_t size) {
    char space[PATH_MAX];
    const char *path = path_of(fd, space);
    pthread_mutex_lock(&mutex);
    int result = (int)syscall(SYS_ftruncate, fd, size);
    if (result == 0 && path) note_plain(RESIZED, path, (uint64_t)size);
    pthread_mutex_unlock(&mutex);
    return result;
}

int ftruncate64(int fd, off64_t size) __attribute__((alias("ftruncate")));

int fallocate(int fd, int mode, off_t offset, off_t bytes) {
    char space[PATH_MAX];
    const char *path = path_of(fd, space);
    pthread_mutex_lock(&mutex);
    int result = (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
    if (result == 0 && path && mode == 0) note_plain(GREW, path, (uint64_t)(offset + bytes));
    pthread_mutex_unlock(&mutex);
    return result;
}

int fallocate64(int fd, int mode, off64_t offset, off64_t bytes) __attribute__((alias("fallocate")));

int posix_fallocate(int fd, off_t offset, off_t bytes) {
    int before = errno;
    int result = fallocate(fd, 0, offset, bytes) == 0 ? 0 : errno;
    errno = before;
    return result;
}

int posix_fallocate64(int fd, off64_t offset, off64_t bytes) __attribute__((alias("posix_fallocate")));

/* Calls that flush a file to the disk. */

static int recorded_flush(long call, int fd) {
    char space[PATH_MAX];
    const char *path = path_of(fd, space);
    pthread_mutex_lock(&mutex);
    uint64_t covered = records;
    int fails = path && fails_now(path);
    if (fails) note_plain(FLUSH_FAILED, path, covered);
    pthread_mutex_unlock(&mutex);
    if (fails) return -1;
    int result = (int)syscall(call, fd);
    if (result != 0 || !path) return result;
    pthread_mutex_lock(&mutex);
    note_plain(FLUSHED, path, covered);
    pthread_mutex_unlock(&mutex);
    return result;
}

int fsync(int fd) { return recorded_flush(SYS_fsync, fd); }
int fdatasync(int fd) { return recorded_flush(SYS_fdatasync, fd); }

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
    char space[PATH_MAX];
    const char *path = (flags & MAP_SHARED) && (protection & PROT_WRITE) ? path_of(fd, space) : NULL;
    if (path) {
        pthread_mutex_lock(&mutex);
        note_plain(MAPPED, path, bytes);
        pthread_mutex_unlock(&mutex);
    }
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset) __attribute__((alias("mmap")));

/* Calls that create, remove or rename files and folders. */

static int open_in(int folder, const char *path, int flags, mode_t mode) {
    char space[PATH_MAX];
    if (boot && strcmp(path, boot_id) == 0) path = boot;
    if (!(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, folder, path, flags, mode);
    pthread_mutex_lock(&mutex);
    int before = errno;
    int existed = syscall(SYS_faccessat, folder, path, F_OK) == 0;
    errno = before;
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    const char *name = fd < 0 ? NULL : path_of(fd, space);
    if (name && !existed) note_plain(MADE, name, 0);
    if (name && existed && (flags & O_TRUNC)) note_plain(RESIZED, name, 0);
    pthread_mutex_unlock(&mutex);
    return fd;
}

static mode_t mode_in(int flags, va_list more) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = mode_in(flags, more);
    va_end(more);
    return open_in(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = mode_in(flags, more);
    va_end(more);
    return open_in(folder, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));
int __open_2(const char *path, int flags) { return open_in(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));
int creat(const char *path, mode_t mode) { return open_in(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) __attribute__((alias("creat")));

/* Returns the absolute path that the folder and the path of a call such as openat(2) name. */
static const char *absolute(int folder, const char *path, char space[PATH_MAX]) {
    char link[40], base[PATH_MAX];
    if (path[0] == '/') return path;
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t count = syscall(SYS_readlinkat, AT_FDCWD, link, base, PATH_MAX - 1);
    if (count < 0) return "";
    base[count] = 0;
    int bytes = snprintf(space, PATH_MAX, "%s/%s", base, path);
    return bytes < PATH_MAX ? space : "";
}

int mkdirat(int folder, const char *path, mode_t mode) {
    char space[PATH_MAX];
    pthread_mutex_lock(&mutex);
    int result = (int)syscall(SYS_mkdirat, folder, path, mode);
    const char *name = result == 0 ? within(absolute(folder, path, space)) : NULL;
    if (name) note_plain(FOLDER_MADE, name, 0);
    pthread_mutex_unlock(&mutex);
    return result;
}

int unlinkat(int folder, const char *path, int flags) {
    char space[PATH_MAX];
    pthread_mutex_lock(&mutex);
    int result = (int)syscall(SYS_unlinkat, folder, path, flags);
    const char *name = result == 0 ? within(absolute(folder, path, space)) : NULL;
    if (name) note_plain(REMOVED, name, 0);
    pthread_mutex_unlock(&mutex);
    return result;
}

/* Renames into, out of, or within the folder. The journal's reader rejects a name from outside, which it does not know. */
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    char space[PATH_MAX], other[PATH_MAX];
    pthread_mutex_lock(&mutex);
    int result = (int)syscall(SYS_renameat2, from, old, to, new, flags);
    const char *before = within(absolute(from, old, space)), *after = within(absolute(to, new, other));
    struct iovec data = {(void *)(after ? after : ""), after ? strlen(after) : 0};
    if (result == 0 && (before || after)) note(RENAMED, before ? before : "", 0, &data, 1, data.iov_len);
    pthread_mutex_unlock(&mutex);
    return result;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return renameat2(from, old, to, new, 0); }

int remove(const char *path) {
    int result = unlink(path);
    return result != 0 && errno == EISDIR ? rmdir(path) : result;
}
