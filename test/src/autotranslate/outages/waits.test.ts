import { expect, it, vi } from 'vitest';
import { OutageError } from '../../../../src/autotranslate/outages/breaker.ts';
import { createOutageWaits } from '../../../../src/autotranslate/outages/waits.ts';
import { AppError } from '../../../../src/errors.ts';
import { WATCH, type Row } from '../../../../src/store/inbox/row.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { realTexts } from '../../../fakes/texts.ts';
import { GENERAL } from '../support.ts';

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
  const row = { partition: 'p', purpose: WATCH, sinceMs: 0, ref: { channel: GENERAL, id: '1' } };
  waits.begin(row as Row, new OutageError(new AppError('unavailable', 'away'), 1));
  await expect.poll(() => warn.mock.calls.length).toBe(1);
});
