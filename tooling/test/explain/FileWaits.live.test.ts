/** Threads that wait for files, pipes and processes, and who has these, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static int empty[2], full[2], ends[2], ready[2];
static char byte;
static int locked(const char *path) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(open(path, O_CREAT | O_RDWR, 0600), F_SETLKW, &whole);
}
static void *reads(void *name) { return read(empty[0], &byte, 1) == 1 ? name : 0; }
static void *writes(void *name) { while (write(full[1], &byte, 1) == 1); return name; }
static void *receives(void *name) { return read(ends[0], &byte, 1) == 1 ? name : 0; }
static void *input(void *name) { return read(0, &byte, 1) == 1 ? name : 0; }
static void *records(void *name) { return locked("records") == 0 ? name : 0; }
static void *flocks(void *name) {
  flock(open("whole", O_CREAT | O_RDWR, 0600), LOCK_EX);
  flock(open("whole", O_RDWR), LOCK_EX);
  return name;
}
static void *opens(void *name) { return open("fifo", O_RDONLY) >= 0 ? name : 0; }
static void *polls(void *name) {
  struct pollfd all[] = {{empty[0], POLLIN, 0}, {-1, POLLIN, 0}, {ends[1], POLLIN, 0}};
  return poll(all, 3, -1) > 0 ? name : 0;
}
static void *selects(void *name) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(empty[0], &set);
  return select(empty[0] + 1, &set, 0, 0, 0) > 0 ? name : 0;
}
static void *watches(void *name) {
  struct epoll_event event = {.events = EPOLLIN};
  int watcher = epoll_create1(0);
  epoll_ctl(watcher, EPOLL_CTL_ADD, empty[0], &event);
  // It fails with EINTR where a debugger stops and resumes its thread (signal(7)).
  while (epoll_wait(watcher, &event, 1, -1) < 0);
  return name;
}
static void *connection(void *name) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof place;
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&place, size);
  listen(server, 1);
  getsockname(server, (struct sockaddr *)&place, &size);
  connect(client, (struct sockaddr *)&place, size);
  accept(server, 0, 0);
  return recv(client, &byte, 1, 0) == 1 ? name : 0;
}
int main(void) {
  void *(*all[])(void *) = {reads, writes, receives, input, records, flocks, opens, polls, selects, watches, connection};
  if (pipe(empty) || pipe(full) || pipe(ready) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || mkfifo("fifo", 0600)) return 1;
  pid_t child = fork();
  if (child == 0) {
    close(empty[0]);
    close(empty[1]);
    locked("records");
    write(ready[1], "r", 1);
    return raise(SIGSTOP);
  }
  read(ready[0], &byte, 1);
  pthread_t thread;
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) pthread_create(&thread, 0, all[i], 0);
  sleep(1);
  if (fork() == 0) {
    sleep(1);
    kill(getppid(), SIGTRAP);
    _exit(0);
  }
  return waitpid(child, 0, 0);
}
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`names who has the file that a thread waits for, under ${backend}`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const folder = yield* compiled({ "waits.c": source }, ["gcc", "-pthread", "waits.c", "-o", "files"])
          yield* call("start", { program: `${folder}/files`, cwd: folder, backend, environment })
          const { data } = yield* call("explain", { what: "hang", all: true })
          const child = data.waits.find(({ kind }) => kind === "child")?.processes?.[0]?.pid ?? 0
          const texts = new Map(data.waits.map(({ stack, text }) => [stack.at(-1)?.function, text]))
          const expected = {
            reads: /^reads fd 3 \(pipe \d+\), which can be written by this program \(fd 4\)$/,
            writes:
              /^writes fd 6 \(pipe \d+\), which can be read by this program \(fd 5\) and process CHILD \(files\)$/,
            receives: /^reads fd \d+ \(socket \d+\)$/,
            input: /^reads fd 0, the input from this session$/,
            records: /^waits for a lock of fd \d+ \(.*\/records\), held by process CHILD \(files\)$/,
            flocks: /^waits for a lock of fd \d+ \(.*\/whole\), held by this program$/,
            opens: /^opens named pipe fifo, which no process has opened to write$/,
            polls: /^waits for descriptors \(poll\): fd 3 \(pipe \d+\) and fd \d+ \(socket \d+\)$/,
            selects: /^waits for descriptors \(poll\): fd 3 \(pipe \d+\)$/,
            watches: /^waits for descriptors \(poll\): fd 3 \(pipe \d+\)$/,
            connection:
              /^reads fd \d+ \(TCP 127\.0\.0\.1:\d+ to 127\.0\.0\.1:\d+\), which can be written by this program \(fd \d+\)$/,
            main: /^waits for process CHILD \(files\), which is stopped$/
          }
          for (const [name, text] of Object.entries(expected)) {
            assert.match((texts.get(name) ?? "").replaceAll(`process ${child} `, "process CHILD "), text, name)
          }
          const [attach] = data.next
          assert.deepInclude(attach, { input: { pid: child }, operation: "attach" })
          yield* call("stop", {})
        })
      ).pipe(Effect.scoped)
    )
  }
})
