/*
 * Story time for programs in a trial. Loaded by LD_PRELOAD, it answers the clock from a page that the service writes,
 * and reports timed waits in a table that the launcher reads. When the whole trial is idle, the story moves on to the
 * earliest deadline and that wait returns; nobody waits on the wall clock.
 *
 * Nothing here is trusted: the page is mapped read-only, the table is bounded, and whatever a program writes into it
 * moves the story of its own trial alone. Without the variable below, the library does nothing.
 *
 * CLOCK_REALTIME shows the story. CLOCK_MONOTONIC counts what the trial has waited; what a request costs in the story
 * is not in it, since a client's timeout must not fire because of the request that it guards.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Three paths with a colon between them: the page, the table of waits, and the FIFO that wakes the launcher. */
#define VARIABLE "DIORAMA_STORY_TIME"
#define PAGE_MAGIC 0x454d4954594f5453ULL /* "STOYTIME" in memory order */
#define SLOTS 1000
#define SECOND 1000000000LL
#define MILLISECOND 1000000LL
/* A lost wake-up costs at most so long. */
#define LONGEST_SLICE (1 * SECOND)
/* Waits this short are a program's own way to yield: they run on the wall's clock, and this process alone ages. */
#define YIELD (1 * MILLISECOND)
/* Waits this short are also over when the wall clock says so: interpreters rely on them to let other threads run. */
#define SHORT_WAIT (100 * MILLISECOND)
#define LEAST_SHORT_WAIT (20 * MILLISECOND)
/* While the story is held, so long after all: somebody may have to run for others to hear of the new time. */
#define LEAST_HELD_WAIT (1 * SECOND)
/* The measurement of a processor by short sleeps doubles them up to so much. */
#define LONGEST_MEASUREMENT (1 * SECOND)
/* A program that reads the clock so often without waiting is spinning until a time that would never come. */
#define SPINNING_READS 20000
/* Later than any date that a story has on the monotonic clock, and earlier than any on the calendar. */
#define FIRST_CALENDAR_SECOND 500000000LL
/* Ignored by default, so that one that comes too late harms nobody. */
#define WAKE_SIGNAL SIGURG
#define EXPORTED __attribute__((visibility("default")))

struct page {
  uint64_t magic;
  uint64_t version;
  int64_t monotonic;
  int64_t realtime;
  int64_t held;   /* whether no wait ends by the story: its time has moved, and not everybody has heard of it */
  uint64_t check; /* the exclusive or of those above: a page that is half written does not match */
};

struct slot {
  _Atomic uint32_t claimed;
  _Atomic uint32_t tid; /* zero until the rest is written */
  uint32_t pid;
  uint32_t clock; /* CLOCK_REALTIME or CLOCK_MONOTONIC, as the deadline counts */
  int64_t deadline;
  int64_t began; /* on the wall's own monotonic clock */
  int64_t duration;
  uint8_t unused[24];
};

struct table {
  _Atomic uint32_t alerted;
  uint32_t slots;
  uint8_t unused[56];
  struct slot slot[SLOTS];
};

static const volatile struct page *page;
static struct table *table;
static const char *bell;
static _Atomic int state; /* 0 unknown, 1 being found out, 2 off, 3 on */
static _Atomic int64_t drift;
static _Atomic int64_t last_spin;
static _Atomic uint64_t last_version;
static _Atomic uint32_t reads;
static __thread volatile sig_atomic_t woken;
static __thread pthread_cond_t *volatile waited_condition;
static __thread struct wait *volatile current;

struct wait {
  struct slot *slot;
  uint32_t clock;
  int64_t deadline;
  int64_t began;
  int64_t duration;
  volatile int expired;
};

/* ---- System calls that no library stands in front of. */

static long direct(long n, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "Story time knows x86-64 and arm64."
#endif
}

static long with_errno(long result) {
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

static int64_t nanoseconds(const struct timespec *t) { return t->tv_sec * SECOND + t->tv_nsec; }

static struct timespec timespec_of(int64_t ns) {
  struct timespec t = {ns / SECOND, ns % SECOND};
  return t;
}

static int is_valid(const struct timespec *t) {
  return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

/* Bounded, so that no sum of two overflows. */
static int64_t bounded(const struct timespec *t) {
  const int64_t most = INT64_MAX / 4;
  return t->tv_sec > most / SECOND ? most : nanoseconds(t);
}

static int64_t wall(void) {
  struct timespec t;
  direct(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
  return nanoseconds(&t);
}

/* ---- The functions that are stood in front of. */

static int (*real_poll)(struct pollfd *, nfds_t, int);
static int (*real_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static int (*real_pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
static int (*real_epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
static int (*real_clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
static int (*real_sem_trywait)(sem_t *);
static int (*real_sem_timedwait)(sem_t *, const struct timespec *);
static int (*real_sem_clockwait)(sem_t *, clockid_t, const struct timespec *);
static int (*real_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_cond_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
static int (*real_cond_broadcast)(pthread_cond_t *);

#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION "GLIBC_2.17"
#endif

/* Conditions have two versions in some libraries; the one without a version may be the old one. */
static void *condition_function(const char *name) {
  void *found = dlvsym(RTLD_NEXT, name, CONDITION_VERSION);
  return found ? found : dlsym(RTLD_NEXT, name);
}

static void find_functions(void) {
  real_poll = dlsym(RTLD_NEXT, "poll");
  real_ppoll = dlsym(RTLD_NEXT, "ppoll");
  real_pselect = dlsym(RTLD_NEXT, "pselect");
  real_epoll_pwait = dlsym(RTLD_NEXT, "epoll_pwait");
  real_clock_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  real_sem_trywait = dlsym(RTLD_NEXT, "sem_trywait");
  real_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
  real_sem_clockwait = dlsym(RTLD_NEXT, "sem_clockwait");
  real_cond_timedwait = condition_function("pthread_cond_timedwait");
  real_cond_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  real_cond_broadcast = condition_function("pthread_cond_broadcast");
}

static int is_over(struct wait *wait);

/* Interrupts the wait that the thread is in. A condition is not interrupted by signals, so it is broadcast: waking
   without a reason is allowed to it, and the waiter takes no lock of it that it could hold here. */
static void on_wake(int number) {
  (void)number;
  int kept = errno;
  woken = 1;
  struct wait *wait = current;
  if (wait && waited_condition && is_over(wait)) {
    wait->expired = 1;
    real_cond_broadcast(waited_condition);
  }
  errno = kept;
}

static void *map(const char *path, size_t size, int writable) {
  long file = direct(SYS_openat, AT_FDCWD, (long)path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return NULL;
  int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void *mapped = mmap(NULL, size, protection, MAP_SHARED, (int)file, 0);
  direct(SYS_close, file, 0, 0, 0, 0, 0);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static int open_story(void) {
  const char *paths = getenv(VARIABLE);
  if (!paths) return 0;
  static char copy[1024];
  if (strlen(paths) >= sizeof copy) return 0;
  strcpy(copy, paths);
  char *second = strchr(copy, ':');
  char *third = second ? strchr(second + 1, ':') : NULL;
  if (!third) return 0;
  *second = *third = 0;
  const struct page *found = map(copy, sizeof(struct page), 0);
  struct table *waits = map(second + 1, sizeof(struct table), 1);
  if (!found || !waits || found->magic != PAGE_MAGIC || waits->slots != SLOTS) return 0;
  page = found;
  table = waits;
  bell = third + 1;
  struct sigaction old, action = {.sa_handler = on_wake, .sa_flags = SA_RESTART};
  if (sigaction(WAKE_SIGNAL, NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(WAKE_SIGNAL, &action, NULL);
  return 1;
}

/* Whether the story is in force. While that is being found out, the clock is the wall's. */
static int is_on(void) {
  int known = atomic_load_explicit(&state, memory_order_acquire);
  if (known >= 2) return known == 3;
  int unknown = 0;
  if (!atomic_compare_exchange_strong(&state, &unknown, 1)) return 0;
  int kept = errno;
  find_functions();
  int on = open_story();
  errno = kept;
  atomic_store_explicit(&state, on ? 3 : 2, memory_order_release);
  return on;
}

__attribute__((constructor)) static void begin(void) { is_on(); }

/* ---- The clock. */

struct moment {
  uint64_t version;
  int64_t monotonic;
  int64_t realtime;
  int64_t held;
};

static struct moment now(void) {
  struct moment seen;
  for (int tries = 0; tries < 1000; tries++) {
    seen.version = page->version;
    seen.monotonic = page->monotonic;
    seen.realtime = page->realtime;
    seen.held = page->held;
    uint64_t shown = seen.version ^ (uint64_t)seen.monotonic ^ (uint64_t)seen.realtime ^ (uint64_t)seen.held;
    if (page->check == (PAGE_MAGIC ^ shown)) break;
  }
  return seen;
}

/* What this process adds to the story's time: a nanosecond for each look, so that time is never seen to stand still,
   and the wall's time while it spins. */
static int64_t own_drift(uint64_t version) {
  int64_t added = atomic_fetch_add(&drift, 1) + 1;
  if (atomic_exchange(&last_version, version) != version) {
    atomic_store(&reads, 0);
    atomic_store(&last_spin, 0);
  } else if (atomic_fetch_add(&reads, 1) > SPINNING_READS) {
    int64_t at = wall(), before = atomic_exchange(&last_spin, at);
    if (before && at > before) added = atomic_fetch_add(&drift, at - before) + at - before;
  }
  return added;
}

/* Which of the story's two clocks stands for one of the kernel's; -1 for those that count processor time. */
static int story_clock(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return CLOCK_REALTIME;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return CLOCK_MONOTONIC;
    default:
      return -1;
  }
}

static int64_t shown(int clock) {
  struct moment at = now();
  return (clock == CLOCK_REALTIME ? at.realtime : at.monotonic) + own_drift(at.version);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *out) {
  int which = story_clock(clock);
  if (which < 0 || !is_on()) return (int)with_errno(direct(SYS_clock_gettime, clock, (long)out, 0, 0, 0, 0));
  *out = timespec_of(shown(which));
  return 0;
}

static int day_time(struct timeval *out, void *zone) {
  if (!is_on()) return (int)with_errno(direct(SYS_gettimeofday, (long)out, (long)zone, 0, 0, 0, 0));
  if (zone) memset(zone, 0, sizeof(struct timezone));
  if (out) {
    int64_t at = shown(CLOCK_REALTIME);
    out->tv_sec = at / SECOND;
    out->tv_usec = at % SECOND / 1000;
  }
  return 0;
}

EXPORTED int gettimeofday(struct timeval *restrict out, void *restrict zone) { return day_time(out, zone); }
EXPORTED int __gettimeofday(struct timeval *out, void *zone) { return day_time(out, zone); }

EXPORTED time_t time(time_t *out) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  if (out) *out = at.tv_sec;
  return at.tv_sec;
}

EXPORTED int timespec_get(struct timespec *out, int base) {
  if (base != TIME_UTC) return 0;
  return clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/* ---- Waits. */

static void age(int64_t ns) { atomic_fetch_add(&drift, ns); }

static void ring(void) {
  if (atomic_exchange(&table->alerted, 1) != 0) return;
  long file = direct(SYS_openat, AT_FDCWD, (long)bell, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return;
  char one = 1;
  direct(SYS_write, file, (long)&one, 1, 0, 0, 0);
  direct(SYS_close, file, 0, 0, 0, 0, 0);
}

static struct slot *claim(uint32_t tid) {
  for (uint32_t n = 0; n < SLOTS; n++) {
    struct slot *slot = &table->slot[(tid + n) % SLOTS];
    uint32_t free = 0;
    if (atomic_compare_exchange_strong(&slot->claimed, &free, 1)) return slot;
  }
  return NULL;
}

/* Whether this is a thread in which Node keeps house, such as for its garbage collector. What those wait for depends on
   the machine, so the story does not move for them. */
static int keeps_house(void) {
  char name[16] = {0};
  direct(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
  return strcmp(name, "DelayedTaskSche") == 0 || strcmp(name, "V8Worker") == 0;
}

/* Reports a wait. Where the table is full, and in threads that keep house, the wait runs on the wall's clock. */
static void enter(struct wait *wait, uint32_t clock, int64_t deadline, int64_t duration) {
  uint32_t tid = (uint32_t)direct(SYS_gettid, 0, 0, 0, 0, 0, 0);
  wait->clock = clock;
  wait->deadline = deadline;
  wait->duration = duration;
  wait->began = wall();
  wait->expired = 0;
  wait->slot = duration < YIELD || keeps_house() ? NULL : claim(tid);
  current = wait;
  atomic_store(&reads, 0);
  if (!wait->slot) return;
  wait->slot->pid = (uint32_t)direct(SYS_getpid, 0, 0, 0, 0, 0, 0);
  wait->slot->clock = clock;
  wait->slot->deadline = deadline;
  wait->slot->began = wait->began;
  wait->slot->duration = duration;
  atomic_store(&wait->slot->tid, tid);
  ring();
}

static void leave(struct wait *wait) {
  current = NULL;
  if (wait->duration < YIELD) age(wait->duration);
  if (!wait->slot) return;
  atomic_store(&wait->slot->tid, 0);
  atomic_store(&wait->slot->claimed, 0);
  wait->slot = NULL;
}

static void enter_for(struct wait *wait, int64_t duration) {
  enter(wait, CLOCK_MONOTONIC, now().monotonic + duration, duration);
}

/* The deadline was made from what this process was shown, so its own drift is taken from it again. */
static void enter_until(struct wait *wait, int clock, int64_t deadline) {
  struct moment at = now();
  int64_t from = clock == CLOCK_REALTIME ? at.realtime : at.monotonic;
  int64_t ends = deadline - atomic_load(&drift);
  enter(wait, (uint32_t)clock, ends, ends > from ? ends - from : 0);
}

/* How long a short wait takes on the wall's clock; the launcher is given time to find the trial idle first. */
static int64_t shortest(const struct wait *wait, int64_t held) {
  if (!wait->slot || wait->duration < YIELD) return wait->duration;
  int64_t least = held ? LEAST_HELD_WAIT : LEAST_SHORT_WAIT;
  return wait->duration < least ? least : wait->duration;
}

static int is_over(struct wait *wait) {
  struct moment at = now();
  if (!at.held && (wait->clock == CLOCK_REALTIME ? at.realtime : at.monotonic) >= wait->deadline) return 1;
  int64_t waited = wall() - wait->began;
  if (!wait->slot) return waited >= wait->duration;
  return wait->duration <= SHORT_WAIT && waited >= shortest(wait, at.held);
}

/* How long to wait on the wall's clock before the next look at the story. */
static int64_t slice(struct wait *wait) {
  if (is_over(wait)) return 0;
  if (wait->duration > SHORT_WAIT && wait->slot) return LONGEST_SLICE;
  int64_t held = now().held, left = shortest(wait, held) - (wall() - wait->began);
  if (held && left > LEAST_SHORT_WAIT) left = LEAST_SHORT_WAIT;
  return left < 50000 ? 50000 : left > LONGEST_SLICE ? LONGEST_SLICE : left;
}

static int64_t left_of(struct wait *wait) {
  struct moment at = now();
  int64_t left = wait->deadline - (wait->clock == CLOCK_REALTIME ? at.realtime : at.monotonic);
  return left > 0 ? left : 0;
}

/* Whether a wait that was interrupted was interrupted by us, and so goes on unless it is over. */
static int was_ours(void) {
  int ours = woken;
  woken = 0;
  return ours;
}

/* A thread that blocks the signal takes it while it waits. The kernel's set of signals is one word. */
#define WAKE_BIT (1ULL << (WAKE_SIGNAL - 1))

static void let_wake(uint64_t *old) {
  uint64_t one = WAKE_BIT;
  *old = 0;
  direct(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&one, (long)old, sizeof one, 0, 0);
}

static void restore(const uint64_t *old) {
  uint64_t one = WAKE_BIT;
  if (*old & WAKE_BIT) direct(SYS_rt_sigprocmask, SIG_BLOCK, (long)&one, 0, sizeof one, 0, 0);
}


/* A wait for files: tried at once, then with one slice after the other. `attempt` gets the slice in nanoseconds. */
static int wait_for_files(int64_t duration, int (*attempt)(void *, int64_t), void *with) {
  int result = attempt(with, duration < YIELD ? duration : 0);
  if (result == 0 && duration < YIELD) age(duration);
  if (result != 0 || duration < YIELD) return result;
  struct wait wait;
  uint64_t old;
  let_wake(&old);
  enter_for(&wait, duration);
  woken = 0;
  for (;;) {
    result = attempt(with, slice(&wait));
    if (result > 0 || (result < 0 && !(errno == EINTR && was_ours()))) break;
    result = 0;
    if (is_over(&wait)) break;
  }
  int kept = errno;
  leave(&wait);
  restore(&old);
  errno = kept;
  return result;
}

static const sigset_t *waking(const sigset_t *given, sigset_t *own) {
  if (!given) return NULL;
  *own = *given;
  sigdelset(own, WAKE_SIGNAL);
  return own;
}

struct polling {
  struct pollfd *files;
  nfds_t count;
  const sigset_t *mask;
};

static int attempt_poll(void *with, int64_t ns) {
  struct polling *polling = with;
  struct timespec t = timespec_of(ns);
  return real_ppoll(polling->files, polling->count, &t, polling->mask);
}

EXPORTED int poll(struct pollfd *files, nfds_t count, int timeout) {
  if (!is_on() || timeout <= 0)
    return real_poll ? real_poll(files, count, timeout) : (int)with_errno(-ENOSYS);
  struct polling polling = {files, count, NULL};
  return wait_for_files(timeout * MILLISECOND, attempt_poll, &polling);
}

EXPORTED int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  if (!is_on() || !timeout || !is_valid(timeout) || nanoseconds(timeout) == 0)
    return real_ppoll ? real_ppoll(files, count, timeout, mask) : (int)with_errno(-ENOSYS);
  sigset_t own;
  struct polling polling = {files, count, waking(mask, &own)};
  return wait_for_files(bounded(timeout), attempt_poll, &polling);
}

EXPORTED int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t size) {
  if (size / sizeof *files < count) abort();
  return poll(files, count, timeout);
}

EXPORTED int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
                         size_t size) {
  if (size / sizeof *files < count) abort();
  return ppoll(files, count, timeout, mask);
}

#define MOST_SELECTED 65536
#define SET_BYTES (MOST_SELECTED / 8)

struct selecting {
  int count;
  fd_set *given[3];
  const sigset_t *mask;
  size_t bytes;
};

static int attempt_select(void *with, int64_t ns) {
  struct selecting *selecting = with;
  _Alignas(fd_set) char copies[3][SET_BYTES];
  fd_set *sets[3];
  for (int n = 0; n < 3; n++) {
    sets[n] = selecting->given[n] ? (fd_set *)copies[n] : NULL;
    if (sets[n]) memcpy(copies[n], selecting->given[n], selecting->bytes);
  }
  struct timespec t = timespec_of(ns);
  int result = real_pselect(selecting->count, sets[0], sets[1], sets[2], &t, selecting->mask);
  if (result > 0)
    for (int n = 0; n < 3; n++)
      if (sets[n]) memcpy(selecting->given[n], copies[n], selecting->bytes);
  return result;
}

static int select_for(struct selecting *selecting, int64_t duration) {
  selecting->bytes = (size_t)(selecting->count + 63) / 64 * 8;
  int result = wait_for_files(duration, attempt_select, selecting);
  if (result == 0)
    for (int n = 0; n < 3; n++)
      if (selecting->given[n]) memset(selecting->given[n], 0, selecting->bytes);
  return result;
}

EXPORTED int pselect(int count, fd_set *restrict reads_, fd_set *restrict writes, fd_set *restrict errors,
                     const struct timespec *restrict timeout, const sigset_t *restrict mask) {
  int plain = !is_on() || !timeout || !is_valid(timeout) || nanoseconds(timeout) == 0;
  if (plain || count < 0 || count > MOST_SELECTED)
    return real_pselect ? real_pselect(count, reads_, writes, errors, timeout, mask) : (int)with_errno(-ENOSYS);
  sigset_t own;
  struct selecting selecting = {count, {reads_, writes, errors}, waking(mask, &own), 0};
  return select_for(&selecting, bounded(timeout));
}

EXPORTED int select(int count, fd_set *restrict reads_, fd_set *restrict writes, fd_set *restrict errors,
                    struct timeval *restrict timeout) {
  struct timespec t = {0, 0};
  if (timeout) {
    if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return (int)with_errno(-EINVAL);
    t.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000;
    t.tv_nsec = timeout->tv_usec % 1000000 * 1000;
  }
  int64_t from = is_on() ? now().monotonic : 0;
  int result = pselect(count, reads_, writes, errors, timeout ? &t : NULL, NULL);
  if (timeout && is_on()) {
    int64_t left = result == 0 ? 0 : bounded(&t) - (now().monotonic - from);
    if (left < 0) left = 0;
    timeout->tv_sec = left / SECOND;
    timeout->tv_usec = left % SECOND / 1000;
  }
  return result;
}

struct epolling {
  int file;
  struct epoll_event *events;
  int count;
  const sigset_t *mask;
};

static int attempt_epoll(void *with, int64_t ns) {
  struct epolling *epolling = with;
  int timeout = (int)((ns + MILLISECOND - 1) / MILLISECOND);
  return real_epoll_pwait(epolling->file, epolling->events, epolling->count, timeout, epolling->mask);
}

EXPORTED int epoll_pwait(int file, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
  if (!is_on() || timeout <= 0)
    return real_epoll_pwait ? real_epoll_pwait(file, events, count, timeout, mask) : (int)with_errno(-ENOSYS);
  sigset_t own;
  struct epolling epolling = {file, events, count, waking(mask, &own)};
  return wait_for_files(timeout * MILLISECOND, attempt_epoll, &epolling);
}

EXPORTED int epoll_wait(int file, struct epoll_event *events, int count, int timeout) {
  return epoll_pwait(file, events, count, timeout, NULL);
}

EXPORTED int epoll_pwait2(int file, struct epoll_event *events, int count, const struct timespec *timeout,
                          const sigset_t *mask) {
  if (timeout && !is_valid(timeout)) return (int)with_errno(-EINVAL);
  if (!timeout || nanoseconds(timeout) == 0) return epoll_pwait(file, events, count, timeout ? 0 : -1, mask);
  if (!is_on()) return (int)with_errno(direct(SYS_epoll_pwait2, file, (long)events, count, (long)timeout, (long)mask, 8));
  sigset_t own;
  struct epolling epolling = {file, events, count, waking(mask, &own)};
  return wait_for_files(bounded(timeout), attempt_epoll, &epolling);
}

/* Sleeps through a wait that was entered; an error number, and what is left in `left`. */
static int sleep_through(struct wait *wait, int64_t *left) {
  uint64_t old;
  int failure = 0;
  let_wake(&old);
  woken = 0;
  while (!is_over(wait)) {
    struct timespec t = timespec_of(slice(wait));
    failure = real_clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
    if (failure == EINTR && was_ours()) failure = 0;
    if (failure) break;
  }
  *left = left_of(wait);
  leave(wait);
  restore(&old);
  return failure;
}

static int sleep_on(clockid_t clock, int flags, const struct timespec *asked, struct timespec *remaining) {
  int which = story_clock(clock);
  if (!is_on() || which < 0 || !asked || !is_valid(asked)) {
    if (real_clock_nanosleep) return real_clock_nanosleep(clock, flags, asked, remaining);
    return (int)-direct(SYS_clock_nanosleep, clock, flags, (long)asked, (long)remaining, 0, 0);
  }
  struct wait wait;
  int64_t left;
  if (flags & TIMER_ABSTIME) {
    enter_until(&wait, which, bounded(asked));
    return sleep_through(&wait, &left);
  }
  if (bounded(asked) < YIELD) {
    age(bounded(asked));
    return real_clock_nanosleep(CLOCK_MONOTONIC, 0, asked, remaining);
  }
  enter_for(&wait, bounded(asked));
  int failure = sleep_through(&wait, &left);
  if (failure == EINTR && remaining) *remaining = timespec_of(left);
  return failure;
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *remaining) {
  return sleep_on(clock, flags, asked, remaining);
}

/* Whether Abseil, which is in Node and in other runtimes, measures the processor's frequency by short sleeps. It does so
   when two of its threads first want the same lock, which depends on the machine, so the story does not move for it. */
static int measures_processor(const void *caller) {
  Dl_info found;
  return dladdr(caller, &found) && found.dli_sname && strstr(found.dli_sname, "NominalCPUFrequency");
}

EXPORTED int nanosleep(const struct timespec *asked, struct timespec *remaining) {
  int is_short = is_on() && asked && is_valid(asked) && bounded(asked) <= LONGEST_MEASUREMENT;
  if (is_short && measures_processor(__builtin_return_address(0))) return 0;
  return (int)with_errno(-sleep_on(CLOCK_MONOTONIC, 0, asked, remaining));
}

EXPORTED int thrd_sleep(const struct timespec *asked, struct timespec *remaining) {
  int failure = sleep_on(CLOCK_MONOTONIC, 0, asked, remaining);
  return failure == 0 ? 0 : failure == EINTR ? -1 : -2;
}

EXPORTED int usleep(useconds_t microseconds) {
  struct timespec asked = timespec_of((int64_t)microseconds * 1000);
  return nanosleep(&asked, NULL);
}

EXPORTED unsigned sleep(unsigned seconds) {
  struct timespec asked = {seconds, 0}, remaining = {0, 0};
  int kept = errno;
  if (nanosleep(&asked, &remaining) == 0) {
    errno = kept;
    return 0;
  }
  return (unsigned)(remaining.tv_sec + (remaining.tv_nsec >= SECOND / 2));
}

/* A semaphore's slice, on whichever clock the library can wait for. */
static int wait_semaphore(sem_t *semaphore, int64_t ns) {
  struct timespec t;
  int clock = real_sem_clockwait ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  direct(SYS_clock_gettime, clock, (long)&t, 0, 0, 0, 0);
  t = timespec_of(nanoseconds(&t) + ns);
  return real_sem_clockwait ? real_sem_clockwait(semaphore, clock, &t) : real_sem_timedwait(semaphore, &t);
}

static int semaphore_until(sem_t *semaphore, int clock, const struct timespec *deadline) {
  if (real_sem_trywait(semaphore) == 0) return 0;
  struct wait wait;
  uint64_t old;
  int result = -1, failure = ETIMEDOUT;
  let_wake(&old);
  enter_until(&wait, clock, bounded(deadline));
  woken = 0;
  while (!is_over(&wait)) {
    result = wait_semaphore(semaphore, slice(&wait));
    if (result == 0 || (errno != ETIMEDOUT && !(errno == EINTR && was_ours()))) {
      failure = errno;
      break;
    }
  }
  leave(&wait);
  restore(&old);
  if (result != 0) errno = failure;
  return result;
}

EXPORTED int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict deadline) {
  int which = story_clock(clock);
  if (is_on() && which >= 0 && is_valid(deadline)) return semaphore_until(semaphore, which, deadline);
  return real_sem_clockwait ? real_sem_clockwait(semaphore, clock, deadline) : (int)with_errno(-EINVAL);
}

EXPORTED int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  if (is_on() && is_valid(deadline)) return semaphore_until(semaphore, CLOCK_REALTIME, deadline);
  return real_sem_timedwait ? real_sem_timedwait(semaphore, deadline) : (int)with_errno(-ENOSYS);
}

/* When a slice passes, the caller is told that it was woken: it looks at its condition again and waits again. To wait
   again here could miss a signal that came in between. */
static int condition_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int clock, int64_t deadline) {
  struct wait wait;
  uint64_t old;
  let_wake(&old);
  enter_until(&wait, clock, deadline);
  waited_condition = condition;
  int result = ETIMEDOUT;
  if (!is_over(&wait)) {
    struct timespec t;
    int with = real_cond_clockwait ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    direct(SYS_clock_gettime, with, (long)&t, 0, 0, 0, 0);
    t = timespec_of(nanoseconds(&t) + slice(&wait));
    result = real_cond_clockwait ? real_cond_clockwait(condition, mutex, with, &t)
                                 : real_cond_timedwait(condition, mutex, &t);
    if (result == 0 && wait.expired) result = ETIMEDOUT;
    else if (result == ETIMEDOUT && !is_over(&wait)) result = 0;
  }
  waited_condition = NULL;
  leave(&wait);
  restore(&old);
  return result;
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                    clockid_t clock, const struct timespec *restrict deadline) {
  int which = story_clock(clock);
  if (is_on() && which >= 0 && is_valid(deadline)) return condition_until(condition, mutex, which, bounded(deadline));
  return real_cond_clockwait ? real_cond_clockwait(condition, mutex, clock, deadline) : EINVAL;
}

/* A condition's clock is its own secret, but no story is so early that its calendar looks like a duration. */
EXPORTED int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                    const struct timespec *restrict deadline) {
  if (!is_on() || !is_valid(deadline))
    return real_cond_timedwait ? real_cond_timedwait(condition, mutex, deadline) : EINVAL;
  int clock = deadline->tv_sec >= FIRST_CALENDAR_SECOND ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  return condition_until(condition, mutex, clock, bounded(deadline));
}

EXPORTED int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict deadline) {
  int failure = pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, deadline);
  return failure == 0 ? thrd_success : failure == ETIMEDOUT ? thrd_timedout : thrd_error;
}

/* ---- Programs that make system calls by number. */

/* Runtimes other than C's have locks of their own, and wait for them so. */
static long futex_wait(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout, long e, long f) {
  int is_absolute = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
  struct wait wait;
  uint64_t old;
  long result;
  let_wake(&old);
  if (is_absolute)
    enter_until(&wait, operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, bounded(timeout));
  else enter_for(&wait, bounded(timeout));
  woken = 0;
  do {
    int64_t ns = slice(&wait);
    struct timespec t = timespec_of(is_absolute ? wall() + ns : ns);
    result = direct(SYS_futex, (long)word, operation & ~FUTEX_CLOCK_REALTIME, value, (long)&t, e, f);
    if (result != -ETIMEDOUT && !(result == -EINTR && was_ours())) break;
    result = -ETIMEDOUT;
  } while (!is_over(&wait));
  leave(&wait);
  restore(&old);
  return with_errno(result);
}

EXPORTED long syscall(long n, ...) {
  va_list list;
  va_start(list, n);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (is_on()) switch (n) {
      case SYS_clock_gettime:
        return clock_gettime((clockid_t)a, (struct timespec *)b);
      case SYS_gettimeofday:
        return day_time((struct timeval *)a, (void *)b);
      case SYS_nanosleep:
        return nanosleep((struct timespec *)a, (struct timespec *)b);
      case SYS_clock_nanosleep:
        return with_errno(-sleep_on((clockid_t)a, (int)b, (struct timespec *)c, (struct timespec *)d));
      case SYS_ppoll:
        if (e == sizeof(uint64_t) && !d) return ppoll((struct pollfd *)a, (nfds_t)b, (struct timespec *)c, NULL);
        break;
      case SYS_epoll_pwait:
        if (!e) return epoll_pwait((int)a, (struct epoll_event *)b, (int)c, (int)d, NULL);
        break;
#if defined(SYS_epoll_wait)
      case SYS_epoll_wait:
        return epoll_pwait((int)a, (struct epoll_event *)b, (int)c, (int)d, NULL);
#endif
#if defined(SYS_poll)
      case SYS_poll:
        return poll((struct pollfd *)a, (nfds_t)b, (int)c);
#endif
#if defined(SYS_time)
      case SYS_time:
        return time((time_t *)a);
#endif
      case SYS_futex: {
        int command = (int)b & FUTEX_CMD_MASK;
        const struct timespec *timeout = (const struct timespec *)d;
        if ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && timeout && is_valid(timeout))
          return futex_wait((uint32_t *)a, (int)b, (uint32_t)c, timeout, e, f);
        break;
      }
      default:
        break;
    }
  return with_errno(direct(n, a, b, c, d, e, f));
}
