import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { guardListener } from '../../../../adapters/discord/voice/index.ts';
import type { VoicePacket } from '../../../../src/ports/voice.ts';
import { createTold } from './connection-support.ts';

describe('a listener', () => {
  it('is told everything, and what it throws ends nothing and is logged, not 50 times a second', () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const told = createTold();
    const time = { ms: 0 };
    const calm = guardListener(told, log, () => time.ms);
    calm.connected(true);
    calm.audible('ann', false);
    calm.moved({ space: { platform: 'discord', id: 'babel' }, id: 'attic' });
    calm.ended(undefined);
    expect(told.events).toEqual(['connected', 'cannot hear ann', 'moved attic', 'ended']);
    const broken = guardListener(
      {
        ...told,
        packet: () => {
          throw new TypeError('a fault of ours');
        },
      },
      log,
      () => time.ms,
    );
    for (let at = 0; at < 500; at += 1) broken.packet({} as VoicePacket);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toContain('a fault of ours');
    time.ms += 60_000;
    broken.packet({} as VoicePacket);
    expect(lines).toHaveLength(11);
  });
});
