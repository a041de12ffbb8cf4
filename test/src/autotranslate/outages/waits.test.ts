import { describe, expect, it, vi } from 'vitest';
import { OutageError } from '../../../../src/autotranslate/outages/breaker.ts';
import { createOutageWaits } from '../../../../src/autotranslate/outages/waits.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Channel, Space } from '../../../../src/model/place.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { WATCH, type Row } from '../../../../src/store/inbox/row.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../../fakes/channel-feed.ts';
import { realTexts } from '../../../fakes/texts.ts';
import { GENERAL, WORKSPACE } from '../support.ts';

const rowOf = (from: Channel): Row =>
  ({ partition: 'p', purpose: WATCH, sinceMs: 0, ref: { channel: from, id: '1' } }) as Row;

it('a channel that cannot be told of an outage is logged, and nothing else comes of it', async () => {
  const warn = vi.fn<() => void>();
  const waits = createOutageWaits({
    watches: { of: () => watchOf(GENERAL), group: () => [] },
    texts: realTexts,
    platforms: { find: () => undefined },
    spaces: {
      of: async () => {
        throw new Error('the database is away');
      },
    },
    tell: async () => undefined,
    moderators: { paused: () => undefined, resumed: () => undefined },
    log: { warn },
    now: () => 1_000_000,
  });
  waits.begin(rowOf(GENERAL), new OutageError(new AppError('unavailable', 'away'), 1));
  await expect.poll(() => warn.mock.calls.length).toBe(1);
});

describe('an outage in channels that are linked over two servers', () => {
  const ABROAD = channel('abroad', undefined, WORKSPACE);
  const watches = mirrorOf([GENERAL, 'en'], [ABROAD, 'en']);
  const refusal = new OutageError(
    new AppError('config', 'refused', { sentence: { key: 'service.no-credit' } }),
    1,
  );

  const createWorld = () => {
    const lines: string[] = [];
    const say = (space: Space, words: string): void => void lines.push(`${space.id}: ${words}`);
    const waits = createOutageWaits({
      watches: {
        of: ({ id }) => watches.find((watch) => watch.channel.id === id),
        group: () => watches,
      },
      texts: realTexts,
      platforms: { find: () => undefined },
      spaces: { of: async () => ({ rules: {} }) as never },
      tell: async ({ space }, text) => {
        say(space, plainText(text));
        return undefined;
      },
      moderators: {
        paused: (space, { sentence }) => say(space, `moderators ${sentence.key}`),
        resumed: (space) => say(space, 'moderators resumed'),
      },
      log: { warn: () => undefined },
      now: () => 1_000_000,
    });
    return { lines, waits };
  };
  const paused = (key: 'service.no-credit'): string =>
    realTexts.in('en')('autotranslate.paused', { reason: realTexts.in('en')(key) });

  it('is told to each of them whose messages wait, and when that is over', async () => {
    const { lines, waits } = createWorld();
    waits.begin(rowOf(GENERAL), refusal);
    await expect
      .poll(() => lines.toSorted())
      .toEqual(
        [
          `${SPACE.id}: moderators service.no-credit`,
          `${SPACE.id}: ${paused('service.no-credit')}`,
        ].toSorted(),
      );
    lines.length = 0;
    // That of the other server has a reason of its own.
    waits.begin(rowOf(ABROAD), refusal);
    waits.end('p', SPACE);
    expect([waits.has('p'), waits.all()]).toEqual([true, ['p']]);
    waits.end('p', WORKSPACE);
    expect(waits.has('p')).toBe(false);
    await expect
      .poll(() => lines)
      .toEqual([
        `${WORKSPACE.id}: moderators service.no-credit`,
        `${SPACE.id}: moderators resumed`,
        `${WORKSPACE.id}: moderators resumed`,
        `${WORKSPACE.id}: ${paused('service.no-credit')}`,
      ]);
  });

  it('is over for one that is left, and for all where nothing waits any more', async () => {
    const { lines, waits } = createWorld();
    for (const from of [GENERAL, ABROAD]) waits.begin(rowOf(from), refusal);
    await expect.poll(() => lines.length).toBe(4);
    lines.length = 0;
    waits.forgetSpace(SPACE);
    expect([waits.has('p', SPACE), waits.has('p', WORKSPACE)]).toEqual([false, true]);
    waits.end('p');
    expect(waits.all()).toEqual([]);
    expect(lines).toEqual([SPACE, WORKSPACE].map(({ id }) => `${id}: moderators resumed`));
  });
});
