import { describe, expect, it } from 'vitest';
import { openCaptioned, ROOM, transcriptOf, type Stage } from './room-harness.ts';
import { sentence } from '../../fakes/sentences.ts';

const LINES = ['No lo sé todavía.', 'Nos vemos mañana.', 'Vale, de acuerdo.', 'Sí, claro.'];
const WRONG = ['See you', 'Right then', 'Oh well', 'So it goes'];

const shown = (stage: Stage): string => stage.place.texts(ROOM).join('\n');
const note = sentence('room.withheld', { name: 'Ann' });
const NONE = { noise: 0, invented: 0, repeated: 0, unsure: 0, foreign: 0, wordless: 0 };
const withhold = async (stage: Stage): Promise<void> => {
  for (const [at, line] of WRONG.entries()) {
    stage.script.heard = { language: ['cy', 'nl'][at % 2]!, confidence: 0.62 };
    await stage.say('ann', line);
  }
};

describe('short lines in a language that nobody spoke yet', () => {
  it('are shown when their letters agree', async () => {
    await using stage = await openCaptioned();
    stage.script.heard = { language: 'es', confidence: 0.62 };
    for (const line of LINES) await stage.say('ann', line);
    for (const line of LINES) expect(shown(stage)).toContain(line);
    expect(stage.room().withheld()).toEqual(NONE);
  });

  it('are counted where they are withheld, and noted once for a person', async () => {
    await using stage = await openCaptioned();
    await withhold(stage);
    for (const line of WRONG) expect(shown(stage)).not.toContain(line);
    expect(stage.room().withheld()).toEqual({ ...NONE, foreign: 4 });
    expect(stage.place.texts(ROOM).filter((text) => text.includes(note))).toHaveLength(1);
  });

  it('are marked in the transcript, before the next line or at the end', async () => {
    await using stage = await openCaptioned();
    await withhold(stage);
    stage.script.heard = { language: 'en', confidence: 0.9 };
    await stage.say('ann', 'That was it.');
    const mark = sentence('room.lines-withheld-here', { count: WRONG.length });
    expect((await transcriptOf(stage)).indexOf(mark)).toBeGreaterThan(-1);
    expect((await transcriptOf(stage)).indexOf(mark)).toBeLessThan(
      (await transcriptOf(stage)).indexOf('That was it.'),
    );
    await withhold(stage);
    await stage.room().stopCaptions();
    expect((await transcriptOf(stage)).split(mark)).toHaveLength(3);
  });

  it('are shown where moderators want to see all lines', async () => {
    await using stage = await openCaptioned();
    await stage.choose({ showsAll: true });
    await withhold(stage);
    for (const line of WRONG) expect(shown(stage)).toContain(line);
    expect(stage.room().withheld()).toEqual(NONE);
  });
});
