import { expect, test } from 'vitest';
import { makeTables } from '../../../src/text/tables.ts';

test('the tables of texts are made one by one, while others work', async () => {
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  await makeTables(2);
  clearInterval(others);
  expect(turns).toBeGreaterThan(1);
});
