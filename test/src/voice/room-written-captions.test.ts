import { describe, expect, it } from 'vitest';
import { openCaptioned, ROOM, SPACE, CHAT, type Stage } from './room-harness.ts';
import { attachmentOf } from '../../fakes/core-harness.ts';

const shown = (stage: Stage): string => stage.place.texts(ROOM).join('\n');
const transcriptOf = async (stage: Stage): Promise<string> =>
  Buffer.from((await stage.room().transcript('txt'))?.bytes ?? []).toString();
const bob = { author: { id: 'bob', name: 'Bob', kind: 'person' as const } };

describe('what people write in the chat of a captioned voice channel', () => {
  it('stands in the transcript, in its place, and not once more in that chat', async () => {
    await using stage = await openCaptioned();
    await stage.say('bob', 'first I speak');
    stage.place.write(ROOM, 'then I write', bob);
    await stage.pass(3_000);
    await stage.say('bob', 'and speak again');
    await stage.pass(3_000);
    expect(await transcriptOf(stage)).toMatch(/first I speak[^]*💬 Bob[^]*then I write[^]*again/);
    expect(shown(stage)).not.toContain('then I write');
  });

  it('is shown with its translation', async () => {
    await using stage = await openCaptioned({ languages: ['de'] });
    stage.place.write(ROOM, 'the boat leaves at nine', bob);
    await stage.pass(5_000);
    expect(shown(stage)).toMatch(/💬 Bob[^]*de:the boat leaves at nine/);
  });

  it('is not captioned of who is left out or not in the room, nor from another chat', async () => {
    await using stage = await openCaptioned();
    await stage.rooms.choose(SPACE, 'bob', 'refused');
    stage.place.write(ROOM, 'left out', bob);
    stage.place.write(ROOM, 'not there', { author: { id: 'eve', name: 'Eve', kind: 'person' } });
    stage.place.write(CHAT, 'elsewhere', bob);
    await stage.pass(5_000);
    const transcript = await transcriptOf(stage);
    for (const words of ['left out', 'not there', 'elsewhere'])
      expect(transcript).not.toContain(words);
  });
});

describe('a voice message in the chat of a captioned voice channel', () => {
  it('is transcribed, shown and in the transcript', async () => {
    await using stage = await openCaptioned();
    const recording = attachmentOf(stage.place.recordingOf('I am on my way'), 'voice.ogg');
    const voice = { ...recording, id: 'v', voice: { durationMs: 2_000, loudness: [] } };
    stage.place.write(ROOM, '', { ...bob, files: [voice] });
    await expect.poll(() => transcriptOf(stage)).toMatch(/🎤 Bob[^]*I am on my way/);
    await stage.pass(5_000);
    expect(shown(stage)).toContain('🎤 Bob');
  });
});
