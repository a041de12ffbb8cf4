import { expect, it } from 'vitest';
import { sayGenerated } from './generated.ts';

const COUNT = 150;
const SEED = 20_261_123;

it('messages of every kind come whole into another workspace and to Discord, and notify nobody, however careless the engine', async () => {
  const { faults, pings, kept } = await sayGenerated({ count: COUNT, seed: SEED });
  expect(faults).toEqual([]);
  expect(pings).toEqual([]);
  expect(kept).toBeGreaterThan(5 * COUNT);
});
