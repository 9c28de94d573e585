/* Follows the numbers of Collatz from 27 until 1: 111 steps, at most 9232. */
#include <stdio.h>

struct path {
  unsigned n;
  unsigned peak;
  int steps;
};

static void advance(struct path *p)
{
  p->n = p->n % 2 ? 3 * p->n + 1 : p->n / 2;
  if (p->n > p->peak) {
    p->peak = p->n;
  }
  p->steps++;
}

int main(void)
{
  struct path p = {27, 27, 0};
  while (p.n != 1) {
    advance(&p);
  }
  printf("%d steps, at most %u\n", p.steps, p.peak);
  return 0;
}
