import { expect, it } from 'vitest';
import { realClock } from '../../../../src/async/clock.ts';
import type { Log } from '../../../../src/telemetry/log.ts';
import { createHeldLeases } from '../../../../src/store/postgres/held-leases.ts';

it('ends the first tenure of a name that is granted again before its end was seen', async () => {
  const lost: string[] = [];
  const released: number[] = [];
  const log = { warn: ({ lease }: { lease: string }) => void lost.push(lease) } as unknown as Log;
  const held = createHeldLeases({
    log,
    clock: realClock,
    wallMs: () => 0,
    release: async (_, epoch) => void released.push(epoch),
  });
  const [first, second] = [1, 2].map((epoch) =>
    held.begin({ name: 'thing:0', epoch }, { untilMs: Infinity, wallUntilMs: Infinity }),
  );
  expect(first!.signal.aborted).toBe(true);
  expect([first!.isHeld(), second!.isHeld()]).toEqual([false, true]);
  expect(lost).toEqual(['thing:0']);
  await first!.release();
  expect([released, second!.isHeld()]).toEqual([[], true]);
});
