/*
 * Preloaded into every app of the simulated simulator. Lets any process trace the app, where the kernel restricts that to
 * parents, and, when SIGTRAP_SIM_HOLD is set, keeps it before its first line until a debugger has attached and continued.
 * While it waits the process is called _dyld_start, by which the double knows.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#define PR_SET_PTRACER_ANY ((unsigned long)-1)
#endif

static int traced(void)
{
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 1;
  text[length] = 0;
  const char *field = strstr(text, "TracerPid:");
  return field == NULL || atoi(field + strlen("TracerPid:")) != 0;
}

/* Takes a variable out of the environment. This runs before the C library's own start, so getenv sees nothing yet. */
static int take(char **from, const char *name)
{
  size_t length = strlen(name);
  char **to = from;
  int found = 0;
  for (; *from != NULL; from++) {
    if (strncmp(*from, name, length) == 0 && (*from)[length] == '=')
      found = 1;
    else
      *to++ = *from;
  }
  *to = NULL;
  return found;
}

/* Linked with -z initfirst: before the constructors of the app and of its libraries. */
__attribute__((constructor)) static void hold(int argc, char **argv, char **environment)
{
  char name[16];
  (void)argc;
  (void)argv;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  take(environment, "LD_PRELOAD");
  if (!take(environment, "SIGTRAP_SIM_HOLD")) return;
  prctl(PR_GET_NAME, name);
  prctl(PR_SET_NAME, "_dyld_start");
  while (!traced()) {
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
  }
  prctl(PR_SET_NAME, name);
}
