/* The program of the soak: its variables and its output follow from n, so every answer about them can be checked. */
#include <stdio.h>
#include <unistd.h>

long total;

static int work(int n) {
  int doubled = 2 * n;
  total += doubled; /* mark: before */
  return doubled;   /* mark: after */
}

int main(void) {
  for (int n = 1; n <= 2000; n++) printf("head %d\n", n);
  fflush(stdout);
  for (int n = 1; n <= 1000000; n++) {
    if (work(n) < 0) return 1;
    printf("line %d total %ld\n", n, total);
    fflush(stdout);
    usleep(2000);
  }
  return 7;
}
