import { afterEach, describe, expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { toneWav } from '../fakes/tone.ts';
import { repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot();
const REFUSED = { error: 'file_uploads_disabled' } as const;
/** The steps of an upload at which Slack may refuse it. */
const STEPS = ['files.getUploadURLExternal', 'files.completeUploadExternal'] as const;

const refuse = (method: string): void => bot.slack.fail(method, REFUSED, { while: () => true });

afterEach(() => bot.slack.heal());

describe('where a workspace takes no files', () => {
  it.each(STEPS)(
    'the words of a message with one are posted, with the reason (%s)',
    async (step) => {
      const at = bot.place();
      const spanish = at.workspace.channel({ name: 'es', members: [at.admin] });
      const pair = `<#${at.channel.id}> en, <#${spanish.id}> es`;
      await bot.use(at, `autotranslate mirror channels:"${pair}"`);
      refuse(step);
      const bytes = new TextEncoder().encode('what we plan');
      const plans = { name: 'plans.txt', mimetype: 'text/plain', bytes };
      at.channel.say(at.ann, 'Here are the plans', { files: [plans] });
      const reason = sentence('slack.uploads-off', {}, 'es');
      const left = sentence('autotranslate.file-left-out', { name: 'plans.txt', reason }, 'es');
      const standing = () => spanish.posts.filter(({ words }) => words.includes('es:Here are'));
      await bot.slack.until(() => standing().some(({ words }) => words.includes(left)));
      expect(standing()).toHaveLength(1);
    },
  );

  it.each(STEPS)('a command whose answer is a file says so (%s)', async (step) => {
    const at = bot.place();
    refuse(step);
    await bot.use(at, 'say hello there', {
      by: at.ann,
      part: sentence('slack.uploads-off'),
    });
  });

  it('a transcript stands in the message, with the reason', async () => {
    const words = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' ');
    bot.speech.hears = [{ text: words, language: 'en' }];
    const { ann, workspace } = bot.place();
    refuse(STEPS[0]);
    const file = { name: 'long.wav', mimetype: 'audio/wav', bytes: toneWav(120) };
    const said = workspace.direct(ann).say(ann, '', { files: [file] });
    const shown = () => repliesTo(said).map((reply) => reply.words);
    await bot.slack.until(() => shown().join().includes(sentence('slack.uploads-off')));
    expect(shown()).toEqual([expect.stringContaining('word149')]);
  });

  it('a long answer is shown whole in messages', async () => {
    const words = Array.from({ length: 4_000 }, (_, index) => `word${index}`).join(' ');
    bot.speech.answers = () => words;
    const at = bot.place();
    refuse(STEPS[0]);
    await bot.use(at, 'ask what do you know', { by: at.ann, part: 'word3999' });
  });
});
