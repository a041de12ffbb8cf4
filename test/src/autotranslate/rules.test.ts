import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { WatchRules } from '../../../src/model/rules.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { link, paragraph, text } from '../../../src/rich-text/rich-text.ts';
import { noticeLanguage, ruledOut } from '../../../src/autotranslate/rules.ts';
import { person, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { audio, ENGLISH, GENERAL, linked, recording, SPANISH, withScene } from './support.ts';

const scene = withScene();

const watchWith = async (rules: WatchRules): Promise<void> =>
  scene.watches.set([watchOf(GENERAL, { choices: { rules } })]);

/** Says something in a channel with rules; resolves with what became of it. */
const outcomeOf = async (
  rules: WatchRules,
  said: string | Message['text'],
  part: Partial<Message> = {},
): Promise<string | undefined> => {
  await watchWith(rules);
  const { ref } = await scene.say(GENERAL, said, part);
  await scene.idle();
  return (await scene.outcomes())[ref.id];
};

const ada = { author: { ...person('ada'), roles: ['staff'] } };
const PICTURE = { ...audio('x'), name: 'a.png', mediaType: 'image/png' };
const LINK = [paragraph(link('https://a.example/', text('here')))];
const BARE_LINK = [paragraph(link('https://a.example/'))];

describe('a rule of a channel', () => {
  it.each([
    ['people', ['ada'], 'hello', ada],
    ['roles', ['other', 'staff'], 'hello', ada],
    ['words', ['spoiler'], 'a SPOILER, sorry', ada],
    ['words', ['스포일러'], '스포일러예요', ada],
    ['beginnings', ['(('], ' ((aside))', ada],
    ['beginnings', ['ooc'], 'OOC: back soon', ada],
    ['types', ['text'], 'hello', ada],
    ['types', ['files'], 'look at this', { files: [PICTURE] }],
    ['types', ['recordings'], '', { files: [recording('hello')] }],
    ['types', ['forwards'], 'hello', { forwarded: true }],
    ['types', ['forwards'], 'hello', { holds: 'share' }],
    ['types', ['polls'], 'Tea or coffee?', { holds: 'poll' }],
    ['types', ['links'], BARE_LINK, {}],
  ] as const)('leaves out by %s %j, or all else', async (ruled, of, said, part) => {
    expect(await outcomeOf({ [ruled]: { of } }, said, part)).toBe(`skipped rule-${ruled}`);
    expect(await outcomeOf({ [ruled]: { of, only: true } }, said, part)).not.toContain('rule');
    expect(await outcomeOf({ [ruled]: { of: ['other'] } }, said, part)).not.toContain('rule');
    expect(await outcomeOf({ [ruled]: { of: ['other'], only: true } }, said, part)).toBe(
      `skipped rule-${ruled}`,
    );
    expect(await outcomeOf({ [ruled]: { of: [], only: true } }, said, part)).not.toContain('rule');
  });

  it('says nothing of roles that are not known, nor of a link with words', async () => {
    expect(await outcomeOf({ roles: { of: ['staff'], only: true } }, 'hello')).toBe('posted');
    expect(await outcomeOf({ types: { of: ['links'] } }, LINK)).toBe('posted');
  });

  it('takes words of any shape as words, and no pattern', () => {
    const hostile = ['.*', '*', '**', '(a+)+$', '[', '\\', '\u0000', '🙂', 'a'.repeat(100)];
    const message = { author: person('ada'), type: 'text', text: plainWords('a'.repeat(4_000)) };
    for (const ruled of ['words', 'beginnings'] as const)
      for (const word of hostile.slice(0, -1))
        expect(ruledOut(message as never, { [ruled]: { of: [word] } })).toBeUndefined();
  });

  it('leaves out what is shorter, by its words alone, but never recordings', async () => {
    expect(await outcomeOf({ shortest: 4 }, 'gg 👍 https://a.example/')).toContain('rule-shortest');
    expect(await outcomeOf({ shortest: 4 }, 'good')).toBe('posted');
    const spoken = await outcomeOf({ shortest: 40 }, '', { files: [recording('hello')] });
    expect(spoken).toBe('posted');
  });

  it('asks for its engine and form of address, and leaves languages that everybody understands alone', async () => {
    expect(await outcomeOf({ engine: 'deepl' }, 'one')).toBe('posted');
    const reply = scene.feed.messages(GENERAL).at(-1)!;
    expect(await scene.modelsOf(reply.ref)).toEqual(['deepl-es']);
    await outcomeOf({ formality: 'formal' }, 'one more');
    const formal = scene.feed.messages(GENERAL).at(-1)!;
    expect(await scene.modelsOf(formal.ref)).toEqual(['formal-es']);
    expect(await outcomeOf({ languages: ['fr', 'en'] }, 'two')).toBe('skipped rule-languages');
    expect(await outcomeOf({ languages: ['fr'] }, 'three')).toBe('posted');
  });

  it('is that of its space where it has none of its own', async () => {
    await scene.spaces.change(SPACE, { rules: { words: { of: ['gg'] }, shortest: 3 } });
    expect(await outcomeOf({}, 'gg all')).toBe('skipped rule-words');
    expect(await outcomeOf({ words: { of: [] } }, 'gg all')).toBe('posted');
    expect(await outcomeOf({ words: { of: [] } }, 'ok')).toBe('skipped rule-shortest');
  });

  it('holds for what waits when it is set, and its end is no loss of what comes after', async () => {
    await watchWith({});
    const open = scene.hold('hello gg');
    const { ref } = await scene.say(GENERAL, 'hello gg');
    await scene.spaces.change(SPACE, { rules: { words: { of: ['gg'] } } });
    open();
    await scene.idle();
    expect((await scene.outcomes())[ref.id]).toBe('skipped rule-words');
    expect(scene.feed.texts(GENERAL)).toEqual(['hello gg']);
    await scene.spaces.change(SPACE, { rules: {} });
    expect(await outcomeOf({}, 'gg')).toBe('posted');
  });

  it('is kept when the channel is set anew', async () => {
    await watchWith({ shortest: 3 });
    await scene.watches.set([watchOf(GENERAL, { languages: ['ja'] })]);
    expect(scene.watches.of(GENERAL)?.choices).toEqual({ rules: { shortest: 3 } });
  });

  it('has no say in what somebody asks for with a flag', async () => {
    await watchWith({ words: { of: ['gg'] } });
    const { ref } = await scene.say(GENERAL, 'gg');
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
  });
});

describe('in linked channels', () => {
  it('what is short, or in a language that everybody understands, stays as it was written', async () => {
    const rules = { shortest: 4, languages: ['en'] };
    await scene.watches.set(linked().map((watch) => ({ ...watch, choices: { rules } })));
    await scene.say(ENGLISH, 'gg');
    await scene.say(ENGLISH, 'hello there');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['ada: gg [↗]', 'ada: hello there [↗]']);
  });

  it('what a rule leaves out is in none of the others', async () => {
    const rules = { people: { of: ['ada'] } };
    await scene.watches.set(linked().map((watch) => ({ ...watch, choices: { rules } })));
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual([]);
  });
});

describe('the language of notices', () => {
  it.each([
    ['reply', {}, 'es'],
    ['reply', { reading: 'de' }, 'de'],
    ['request', {}, 'en'],
    ['request', { reading: 'de' }, 'de'],
  ] as const)(
    'is none of those that %s does not translate into, with the rules %o',
    (mode, rules, language) => {
      const watch = watchOf(GENERAL, { mode, languages: ['es'], choices: { rules } });
      expect(noticeLanguage(watch, { rules: {} })).toBe(language);
    },
  );
});
