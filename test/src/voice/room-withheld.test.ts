import { describe, expect, it } from 'vitest';
import { openCaptioned, ROOM, type Stage } from './room-harness.ts';
import { sentence } from '../../fakes/sentences.ts';

const LINES = ['No lo sé todavía.', 'Nos vemos mañana.', 'Vale, de acuerdo.', 'Sí, claro.'];
const WRONG = ['See you', 'Right then', 'Oh well', 'So it goes'];

const shown = (stage: Stage): string => stage.place.texts(ROOM).join('\n');
const note = sentence('room.withheld', { name: 'Ann' });

describe('short lines in a language that nobody spoke yet', () => {
  it('are shown when their letters agree', async () => {
    await using stage = await openCaptioned();
    stage.script.heard = { language: 'es', confidence: 0.62 };
    for (const line of LINES) await stage.say('ann', line);
    for (const line of LINES) expect(shown(stage)).toContain(line);
    expect(stage.room().withheld()).toEqual({ foreign: 0, misheard: 0 });
  });

  it('are counted where they are withheld, and noted once for a person', async () => {
    await using stage = await openCaptioned();
    for (const [at, line] of WRONG.entries()) {
      stage.script.heard = { language: ['cy', 'nl'][at % 2]!, confidence: 0.62 };
      await stage.say('ann', line);
    }
    for (const line of WRONG) expect(shown(stage)).not.toContain(line);
    expect(stage.room().withheld()).toEqual({ foreign: 4, misheard: 0 });
    expect(stage.place.texts(ROOM).filter((text) => text.includes(note))).toHaveLength(1);
  });
});
