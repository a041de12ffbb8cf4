import { describe, expect, it } from 'vitest';
import { CHAT, openCaptioned, ROOM, SPACE, type Stage } from './room-harness.ts';
import { rich } from '../../fakes/rich-text.ts';

const shown = (stage: Stage): string => stage.place.texts(ROOM).join('\n');
const transcriptOf = async (stage: Stage): Promise<string> =>
  Buffer.from((await stage.room().transcript('txt'))?.bytes ?? []).toString();

describe('what the bot speaks while captions are on', () => {
  const ann = { id: 'ann', name: 'Ann' };

  it.each([
    ['say', 'Ann'],
    ['read', 'Ann'],
    ['answer', 'Dragoman'],
  ] as const)('stands in the captions and the transcript: %s', async (kind, name) => {
    await using stage = await openCaptioned();
    await stage.room().say({ kind, text: rich('the boat leaves at nine'), by: ann });
    await stage.pass(5_000);
    expect(shown(stage)).toContain(`🔊 ${name}`);
    expect(shown(stage)).toContain('the boat leaves at nine');
    expect(await transcriptOf(stage)).toContain('the boat leaves at nine');
  });

  it('is translated like speech, and in the order in which it was spoken', async () => {
    await using stage = await openCaptioned({ languages: ['de'] });
    await stage.say('bob', 'first');
    await stage.room().say({ kind: 'say', text: rich('second'), by: ann });
    await stage.pass(5_000);
    expect(shown(stage)).toMatch(/first[^]*second[^]*de:second/);
  });

  it('is not there of members who want to be left out, and goes with those who opt out later', async () => {
    await using stage = await openCaptioned({}, { readAloud: [CHAT.id] });
    await stage.rooms.choose(SPACE, 'ann', 'refused');
    stage.place.write(CHAT, 'nothing of ann');
    stage.place.write(CHAT, 'something of bob', {
      author: { id: 'bob', name: 'Bob', kind: 'person' },
    });
    await stage.pass(10_000);
    expect(stage.said().join(' ')).toContain('nothing of ann');
    expect(shown(stage)).not.toContain('nothing of ann');
    expect(await transcriptOf(stage)).toContain('something of bob');
    await stage.press('captions out', 'bob');
    await stage.pass(5_000);
    expect(shown(stage)).not.toContain('something of bob');
    expect(await transcriptOf(stage)).not.toContain('something of bob');
  });

  it('goes with those who opted out in another process after they left, though that was missed', async () => {
    await using stage = await openCaptioned();
    await stage.say('bob', 'something of bob');
    await stage.room().say({ kind: 'say', text: rich('something of ann'), by: ann });
    await stage.pass(5_000);
    stage.place.exit(ROOM, 'bob');
    await stage.missOptOut('bob');
    await stage.pass(5_000);
    expect(shown(stage)).not.toContain('something of bob');
    const transcript = await transcriptOf(stage);
    expect(transcript).not.toContain('something of bob');
    expect(transcript).toContain('something of ann');
  });
});
