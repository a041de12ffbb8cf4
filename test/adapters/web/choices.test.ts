import { expect, test } from 'vitest';
import { bestFit } from '../../../adapters/web/page/completion.ts';

const CHOICES = [
  { value: 'en', label: 'English' },
  { value: 'en-XA', label: 'English (Pseudo-Accents)' },
  { value: 'es', label: 'Spanish' },
];

test.each([
  ['en-XA', 1],
  ['en-xa ', 1],
  ['spanish', 2],
  ['engl', 0],
  ['', 0],
])('of what is offered, %j means the one at %i', (typed, index) => {
  expect(bestFit(CHOICES, typed)).toBe(index);
});
