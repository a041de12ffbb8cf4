import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { toneWav } from '../fakes/tone.ts';
import { repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot();
const AUDIO = {
  name: 'recording.ogg',
  mimetype: 'audio/ogg',
  bytes: new Uint8Array(readFileSync('test/fixtures/audio/speech.opus')),
};
/** Two minutes, in which much can be said. */
const LONG_AUDIO = { name: 'long.wav', mimetype: 'audio/wav', bytes: toneWav(120) };
const chosen = (value: string) => ({
  value: { type: 'static_select', selected_option: { value } },
});

describe('the files of an answer', () => {
  it('appear below it, however often its text grew before', async () => {
    bot.speech.hears = [{ text: 'see you all tomorrow', language: 'en' }];
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/dragoman', 'transcribe');
    await bot.slack.until(() => at.ann.modal !== undefined);
    await bot.slack.submit(at.ann, {
      audio: { value: { type: 'file_input', files: [{ id: at.ann.upload(AUDIO) }] } },
      format: chosen('srt'),
      to: { value: { type: 'external_select', selected_option: { value: 'es' } } },
    });
    await at.channel.until((posts) => posts.some(({ fileNames }) => fileNames.length > 0));
    const [answer, file, ...more] = at.channel.posts;
    expect(answer?.words).toContain('es:see you all tomorrow');
    expect(file?.fileNames).toEqual([expect.stringMatching(/\.srt$/)]);
    expect(more).toEqual([]);
    expect(bot.slack.requests.map(({ method }) => method)).toContain('chat.update');
  });

  it('come as a direct message where one person alone sees the answer, which says so', async () => {
    const at = bot.place();
    await bot.use(at, 'privacy', { by: at.ann });
    const answer = () => at.channel.ephemeralsFor(at.ann).at(-1)!;
    bot.slack.act(at.ann, answer(), 'privacy export');
    const direct = at.workspace.direct(at.ann);
    await direct.until((posts) => posts.some(({ fileNames }) => fileNames.length > 0));
    expect(JSON.stringify(answer())).toContain(sentence('slack.file-sent'));
  });

  it('appear once below a streamed answer, whose text stands once', async () => {
    const words = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' ');
    bot.speech.hears = [{ text: words, language: 'en' }];
    const { ann, workspace } = bot.place();
    const said = workspace.direct(ann).say(ann, '', { files: [LONG_AUDIO] });
    await bot.slack.until(() => repliesTo(said).some(({ fileNames }) => fileNames.length > 0));
    const [answer, file, ...more] = repliesTo(said);
    expect(answer?.text).toContain('word149');
    expect(file?.fileNames).toEqual([expect.stringMatching(/\.txt$/)]);
    expect(more).toEqual([]);
  });
});
