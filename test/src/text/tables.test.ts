import { expect, test } from 'vitest';
import { makeTables } from '../../../src/text/tables.ts';

test('the tables of texts are made one by one, with a turn for others after each', async () => {
  const order: string[] = [];
  const other = (): void => void order.push('other');
  await makeTables(
    ['first', 'second', 'third'].map((name) => () => {
      order.push(name);
      setImmediate(other);
    }),
  );
  expect(order).toEqual(['first', 'other', 'second', 'other', 'third', 'other']);
});
