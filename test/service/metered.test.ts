import { describe, expect, it } from 'vitest';
import { metered } from '../../service/metered.ts';

/** How often a call is charged whose client leaves after so many parts. */
const chargesOf = async (
  call: AsyncIterable<number>,
  { taken = Infinity, left = new AbortController() } = {},
): Promise<number> => {
  let charges = 0;
  const reply = metered(call, () => void (charges += 1), left.signal);
  try {
    let seen = 0;
    if (taken > 0)
      for await (const _ of reply) {
        seen += 1;
        if (seen === taken) break;
      }
  } catch {
    // Counted all the same.
  }
  return charges;
};

async function* parts(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}
async function* failing(left?: AbortController): AsyncGenerator<number> {
  yield 1;
  left?.abort(new Error('left'));
  throw new Error('failed');
}
async function* empty(): AsyncGenerator<number> {}

describe('a call of an engine', () => {
  it('is charged once it is over', async () => {
    expect(await chargesOf(parts())).toBe(1);
  });

  it('is charged when the client leaves after its first part', async () => {
    expect(await chargesOf(parts(), { taken: 1 })).toBe(1);
    const left = new AbortController();
    expect(await chargesOf(failing(left), { left })).toBe(1);
  });

  it('costs nothing when the engine fails, or brings nothing', async () => {
    expect(await chargesOf(failing())).toBe(0);
    expect(await chargesOf(empty())).toBe(0);
  });

  it('costs nothing when the client leaves before its first part', async () => {
    expect(await chargesOf(parts(), { taken: 0 })).toBe(0);
  });
});
