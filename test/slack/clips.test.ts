import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/slack/index.ts';
import { repliesTo, withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();
const OPUS = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));
const CLIP = {
  name: 'audio_message.ogg',
  mimetype: 'audio/ogg',
  bytes: OPUS,
  more: { subtype: 'slack_audio', duration_ms: 3_000, audio_wave_samples: [10, 50, 100] },
};

const speak = ({ channel, ann }: Place, more: object = {}): FakeMessage =>
  channel.say(ann, '', { files: [{ ...CLIP, ...more }] });

const reading = async (): Promise<Place> => {
  const at = bot.place();
  await bot.use(at, 'autotranslate reply languages:es');
  return at;
};

describe('an audio clip', () => {
  it('is written down and translated under it', async () => {
    bot.speech.hears = [{ text: 'see you all tomorrow', language: 'en' }];
    const said = speak(await reading());
    await bot.slack.until(() => repliesTo(said)[0]?.words.includes('🇪🇸') ?? false);
    expect(repliesTo(said)[0]?.text).toContain('es:see you all tomorrow');
  });

  it('is read even where its event names it only', async () => {
    bot.speech.hears = [{ text: 'see you on Monday', language: 'en' }];
    const said = speak(await reading(), { checkInfo: true });
    await bot.slack.until(() => repliesTo(said)[0]?.words.includes('🇪🇸') ?? false);
    expect(repliesTo(said)[0]?.text).toContain('es:see you on Monday');
  });

  it('can be transcribed by a shortcut', async () => {
    bot.speech.hears = [{ text: 'what was said here', language: 'en' }];
    const at = bot.place();
    const said = speak(at);
    bot.slack.messageShortcut(at.bob, said, 'transcribe');
    await bot.slack.until(() =>
      JSON.stringify(at.channel.ephemeralsFor(at.bob)).includes('what was said here'),
    );
  });

  it('whose token lacks the right to read files is told of, not taken for a page', async () => {
    const at = await reading();
    const { installation } = at.workspace;
    const { scopes } = installation;
    at.workspace.withoutScopes('files:read');
    const said = speak(at);
    await bot.slack.until(() => repliesTo(said).length > 0);
    installation.scopes = scopes;
    expect(repliesTo(said)[0]?.words).not.toContain('Sign in');
    bot.errors.splice(0);
  });
});

describe('a spoken answer', () => {
  it('comes as a file that can be played, where it was asked for', async () => {
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/dragoman', 'say good morning');
    await at.channel.until((posts) => posts.some(({ state }) => state.files.length > 0));
    const [file] = at.channel.posts.flatMap(({ state }) => state.files);
    expect(file?.mimetype).toMatch(/^audio\//);
  });
});
