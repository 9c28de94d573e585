/*
 * Starts a program and leaves it stopped by SIGSTOP at its very first instruction, for programs without a dynamic loader
 * and for tests of the stop that a debugger then reports. Prints the pid. Standard streams are those of the caller's
 * descriptors 3 and 4, so that its own output stays free for the pid.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#define PR_SET_PTRACER_ANY ((unsigned long)-1)
#endif

int main(int argc, char **argv)
{
  int status;
  if (argc < 2) return 64;
  pid_t pid = fork();
  if (pid < 0) return 71;
  if (pid == 0) {
    setsid();
    dup2(3, STDOUT_FILENO);
    dup2(4, STDERR_FILENO);
    close(3);
    close(4);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(argv[1], argv + 1);
    _exit(127);
  }
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return 127;
  ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)SIGSTOP);
  printf("%d\n", (int)pid);
  return 0;
}
