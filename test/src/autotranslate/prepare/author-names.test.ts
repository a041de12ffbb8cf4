import { afterEach, expect, it, vi } from 'vitest';
import { NAMED_MS } from '../../../../src/autotranslate/watched-platforms.ts';
import { createAuthorNames } from '../../../../src/autotranslate/prepare/author-names.ts';

const HERE = { id: 'here', space: { platform: 'test', id: '1' } };
const THERE = { id: 'there', space: { platform: 'test', id: '2' } };

afterEach(() => {
  vi.useRealTimers();
});

it('one message alone waits for a space that does not say whether somebody has the name of its author', async () => {
  vi.useFakeTimers();
  const feed = {
    timeOf: () => 0,
    spaceName: async () => 'tower',
    namesLike: () => new Promise<never>(() => undefined),
  };
  const names = createAuthorNames({
    spaces: { of: async () => ({ serverNames: 'off' }) } as never,
    platforms: { of: () => ({ feed }) } as never,
    now: () => Date.now(),
  });
  const shown = async (name: string): Promise<string> => {
    const author = { id: name, name, kind: 'person' };
    const message = { ref: { channel: THERE, id: '1' }, author, position: '1' };
    return (await names.shownIn(HERE, message as never, {} as never)).name;
  };
  const first = shown('eve');
  await vi.advanceTimersByTimeAsync(NAMED_MS);
  expect(await first).toBe('eve · tower');
  const later = Promise.all([shown('eve'), shown('bob')]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.race([later, Promise.resolve('waiting')])).toEqual([
    'eve · tower',
    'bob · tower',
  ]);
});
