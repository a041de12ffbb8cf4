import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { channel, lost, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import type { Naming } from '../../../src/model/command-info.ts';
import {
  audio,
  ENGLISH,
  GENERAL,
  JAPANESE,
  linked,
  NAMING,
  SPANISH,
  withScene,
  WORKSPACE,
  untilGivenUp,
  notYet,
} from './support.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

const never = (language: string, naming?: Naming): string =>
  `⚠️ ${plainText(texts.rich(language, naming)('autotranslate.given-up'))}`;

describe('a message that the service fails at', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);
  const replies = (): string[] => scene.feed.texts(GENERAL).filter((text) => /^\p{RI}/u.test(text));

  it('delays none of a hundred others, and its place is kept', async () => {
    scene.poisoned.add('poison');
    const all = Array.from({ length: 101 }, (_, index) => (index === 50 ? 'poison' : `${index}`));
    for (const text of all) await scene.say(GENERAL, text);
    // No time passes: what waits for another try waits for ever.
    await scene.idle();
    expect(replies()).toEqual(
      all.map((text) =>
        text === 'poison'
          ? `🇪🇸 ${notYet('es')}\n🇯🇵 ${notYet('ja')}`
          : `🇪🇸 es(${text})\n🇯🇵 ja(${text})`,
      ),
    );
  });

  it('is given up in the end, and tells readers in their languages and moderators', async () => {
    scene.poisoned.add('poison');
    const { ref } = await scene.say(GENERAL, 'poison');
    await scene.idle();
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ waiting: 1, dead: 0 });
    await untilGivenUp(scene);
    expect(replies()).toEqual([`🇪🇸 ${never('es')}\n🇯🇵 ${never('ja')}`]);
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({
      waiting: 0,
      dead: 1,
      newestDead: [{ ref, reason: { key: 'reasons.unavailable' } }],
    });
    // Once for the note, and once when it changes.
    expect(scene.feed.calls.filter((call) => ['create', 'update'].includes(call))).toEqual([
      'create',
      'update',
    ]);
  });

  it('names commands in its note as the platform of its readers does', async () => {
    const there = channel('there', undefined, WORKSPACE);
    await scene.watches.set([watchOf(there, { languages: ['es'] })]);
    scene.poisoned.add('poison');
    await scene.say(there, 'poison');
    await untilGivenUp(scene);
    expect(scene.other.texts(there)).toContain(`🇪🇸 ${never('es', NAMING)}`);
    expect(never('es', NAMING)).toContain('/interpreter');
  });

  it('is translated in its place when it is edited, and its note goes when it is deleted', async () => {
    scene.poisoned.add('poison');
    const edited = await scene.say(GENERAL, 'poison');
    const deleted = await scene.say(GENERAL, 'poison');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(edited.ref, 'cure'));
    scene.feed.remove(deleted.ref);
    await scene.listener.messagesDeleted([deleted.ref]);
    await scene.idle();
    expect(replies()).toEqual(['🇪🇸 es(cure)\n🇯🇵 ja(cure)', '🇪🇸 es(hello)\n🇯🇵 ja(hello)']);
  });

  it('waits for its next try over a restart', async () => {
    scene.poisoned.add('poison');
    const { ref, position } = await scene.say(GENERAL, 'poison');
    await scene.idle();
    scene.poisoned.clear();
    await scene.restart();
    scene.listener.messagesMissed([{ channel: GENERAL, newest: position }]);
    await scene.later();
    expect(replies()).toEqual(['🇪🇸 es(poison)\n🇯🇵 ja(poison)']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'posted' });
  });

  it('is no context of the lines after it', async () => {
    scene.poisoned.add('poison');
    await scene.say(GENERAL, 'before');
    await scene.say(GENERAL, 'poison');
    await scene.idle();
    await scene.say(GENERAL, 'after');
    await scene.idle();
    expect(scene.contexts.get('after')).toEqual(['ada: before']);
  });
});

describe('a message that fails', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es'] })]);
  const logged = (): unknown[] =>
    scene.logged.map((line) => {
      const { level, message, code, attempts, err } = JSON.parse(line) as Record<string, unknown>;
      return { level, message, code, attempts, type: (err as { type?: string } | undefined)?.type };
    });

  it('is logged at each try, without its text', async () => {
    scene.poisoned.add('poison');
    const { ref } = await scene.say(GENERAL, 'poison');
    await scene.later();
    await scene.idle();
    const tried = { level: 40, message: ref.id, code: 'unavailable', type: 'AppError' };
    expect(logged()).toEqual([1, 2].map((attempts) => ({ ...tried, attempts })));
    expect(scene.logged.join('')).not.toContain('poison');
  });

  it('is logged as an error with its cause where the fault is ours', async () => {
    scene.broken.add('hello');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(logged()).toMatchObject([{ level: 50, code: 'internal', attempts: 1 }]);
    expect(scene.logged[0]).toContain('"type":"TypeError"');
  });

  it('is not logged in an outage, which is logged when it begins and when it ends', async () => {
    scene.down.add('es');
    for (const text of ['one', 'two']) await scene.say(GENERAL, text);
    await scene.later();
    await scene.later();
    const outage = { language: 'es', code: 'unavailable' };
    const lines = () => scene.logged.map((line) => JSON.parse(line) as unknown);
    expect(lines()).toMatchObject([{ level: 40, ...outage }]);
    scene.down.clear();
    await scene.later();
    expect(lines()).toMatchObject([
      { level: 40, ...outage },
      { level: 30, language: 'es' },
    ]);
  });

  it('in an outage is over with it, though the wall clock was set back by a day meanwhile', async () => {
    scene.down.add('es');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    scene.clock.setBackMs = DAY_MS;
    scene.down.clear();
    await scene.later();
    expect(scene.feed.texts(GENERAL).at(-1)).toContain('es(hello)');
  });

  it('is not logged for the daily limit, which is told in /status', async () => {
    await scene.spaces.change(SPACE, { dailyCharacters: 1 });
    await scene.watches.set(linked());
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.logged).toEqual([]);
  });
});

describe('a message that the service refuses', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it.each(['missing', 'bad-reply'] as const)(
    'tells the readers of the language that is missing why, and not to try again: %s',
    async (code) => {
      scene.faults.set('hello', [new AppError(code, 'no such pair')]);
      const { ref } = await scene.say(GENERAL, 'hello');
      await scene.idle();
      const t = texts.in('es');
      const note = t('autotranslate.not-translated', { reason: t(`reasons.${code}`) });
      expect(scene.feed.texts(GENERAL)).toEqual(['hello', `🇪🇸 ⚠️ ${note}\n🇯🇵 ja(hello)`]);
      expect(await scene.outcomes()).toEqual({ [ref.id]: `dead ${code}` });
    },
  );
});

describe('a message that is the same in another language', () => {
  const scene = withScene();

  it('is not repeated in replies and threads', async () => {
    for (const mode of ['reply', 'thread'] as const) {
      await scene.watches.set([watchOf(GENERAL, { mode })]);
      await scene.say(GENERAL, 'Taxi');
    }
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['Taxi', 'Taxi']);
    expect(scene.feed.calls).not.toContain('create');
  });

  it('is mirrored as it was written, and a flag gets it as it is', async () => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'Taxi');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toHaveLength(1);
    expect(scene.feed.texts(SPANISH)[0]).toContain('Taxi');
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.feed.texts(ENGLISH)).toEqual(['Taxi', '🇯🇵 Taxi']);
  });
});

describe('a message of linked channels that the service fails at', () => {
  const scene = withScene(linked());

  it('is shown as it was written, with a note', async () => {
    scene.poisoned.add('poison');
    await scene.say(ENGLISH, 'poison');
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [first, second] = scene.feed.texts(SPANISH);
    expect(first).toContain('poison');
    expect(first).toContain(notYet('es'));
    expect(second).toContain('es(hello)');
    await untilGivenUp(scene);
    expect(scene.feed.texts(SPANISH)[0]).toContain(never('es'));
  });
});

describe('a message that one linked channel refused', () => {
  const scene = withScene(linked());

  it('keeps its copies elsewhere where it is tried again after its own channel was deleted', async () => {
    const error = new AppError('forbidden', 'a permission is missing');
    scene.feed.fail({ call: 'create', channel: SPANISH, error });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    Object.assign(scene.feed.feed, { isGone: async () => true });
    scene.feed.remove(ref);
    await scene.inbox.revive(SPACE);
    await scene.later();
    expect(scene.feed.texts(JAPANESE)).toHaveLength(1);
    expect((await scene.outcomes())[ref.id]).toBe('skipped channel-gone');
  });
});

describe('a file that cannot be read', () => {
  const scene = withScene(linked());

  it('is left out after a few tries, and delays nothing for longer', async () => {
    const file = {
      ...audio(''),
      name: 'picture.png',
      mediaType: 'image/png',
      sizeBytes: 1,
      async *open() {
        throw lost();
      },
    };
    await scene.say(ENGLISH, 'look', { files: [file] });
    await scene.say(ENGLISH, 'hello');
    for (let tries = 0; tries < 3; tries += 1) await scene.later();
    const [first, second] = scene.feed.texts(SPANISH);
    expect(first).toContain('es(look)');
    expect(first).toContain('picture.png');
    expect(second).toContain('es(hello)');
  });
});

describe('a message over the daily limit', () => {
  const scene = withScene();

  it('is mirrored as it was written, with the reason', async () => {
    await scene.watches.set(linked());
    await scene.spaces.change(SPACE, { dailyCharacters: 3 });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [mirror] = scene.feed.texts(SPANISH);
    expect(mirror).toContain('hello');
    expect(mirror).toContain('⚠️');
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead rate-limited' });
  });

  it('names its author to readers of linked channels where the limit is theirs', async () => {
    await scene.watches.set(linked());
    scene.personLimits.characters = 3;
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)[0]).toContain(
      texts.in('es')('limits.of-another', { name: 'ada' }),
    );
  });

  it('is counted for moderators where it gets no reply', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.spaces.change(SPACE, { dailyCharacters: 3 });
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ dead: 0, overLimit: 1 });
  });
});
