import type { Naming } from '../../../src/model/command-info.ts';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/async/clock.ts';
import { NOT_TRANSLATED } from '../../../src/api/translation.ts';
import { AppError, type MessageKey } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { channel, lost, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import {
  audio,
  ENGLISH,
  GENERAL,
  linked,
  NAMING,
  SPANISH,
  withScene,
  WORKSPACE,
  type Scene,
} from './support.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

/** What the service answers with a status. */
const refused = (status: number): AppError =>
  serviceError(status, undefined, '', createServiceKey('svck:any'));

const notYet = (language: string): string => `⚠️ ${texts.in(language)('autotranslate.not-yet')}`;
const never = (language: string, naming?: Naming): string =>
  `⚠️ ${plainText(texts.rich(language, naming)('autotranslate.given-up'))}`;

/** Lets time pass until a message that fails for ever is given up. */
const untilGivenUp = async (scene: Scene): Promise<void> => {
  for (let minutes = 0; minutes < 30; minutes += 1) await scene.later();
};

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

describe('an outage of the service', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es'] })]);
  const told = (key: MessageKey): string => {
    const t = texts.in('es');
    return t('autotranslate.paused', { reason: t(key) });
  };

  it('uses up nobody’s tries, is told once, and keeps the order', async () => {
    scene.down.add('es');
    const all = Array.from({ length: 40 }, (_, index) => `${index}`);
    for (const text of all) await scene.say(GENERAL, text);
    await untilGivenUp(scene);
    expect(scene.feed.texts(GENERAL)).toEqual([...all, told('reasons.unavailable')]);
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ waiting: 40, dead: 0 });
    const tried = await scene.store.selectFrom('inbox').select('attempts').execute();
    expect(new Set(tried.map(({ attempts }) => attempts))).toEqual(new Set([0]));
    scene.down.clear();
    await scene.later();
    expect(scene.feed.texts(GENERAL).slice(all.length + 1)).toEqual(
      all.map((text) => `🇪🇸 es(${text})`),
    );
  });

  it('is told to nobody where it is over at once', async () => {
    scene.down.add('es');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    scene.down.clear();
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)']);
  });

  it('is told in all channels of a group, in their languages', async () => {
    await scene.watches.set(linked());
    for (const language of ['en', 'es', 'ja']) scene.down.add(language);
    await scene.say(ENGLISH, 'hello');
    for (let minutes = 0; minutes < 3; minutes += 1) await scene.later();
    for (const [to, language] of [
      [ENGLISH, 'en'],
      [SPANISH, 'es'],
    ] as const) {
      const t = texts.in(language);
      const line = t('autotranslate.paused', { reason: t('reasons.unavailable') });
      expect(scene.feed.texts(to).filter((text) => text === line)).toHaveLength(1);
    }
  });

  it('is told once, however many messages are edited meanwhile', async () => {
    const said: Message[] = [];
    for (const text of ['1', '2', '3']) said.push(await scene.say(GENERAL, text));
    await scene.idle();
    scene.down.add('es');
    for (const { ref } of said)
      await scene.listener.messageChanged(scene.feed.edit(ref, `${ref.id} edited`));
    await untilGivenUp(scene);
    const line = told('reasons.unavailable');
    expect(scene.feed.texts(GENERAL).filter((text) => text === line)).toHaveLength(1);
  });

  it('sends one probe at a time, and nobody’s text', async () => {
    scene.down.add('es');
    for (let index = 0; index < 40; index += 1) await scene.say(GENERAL, `${index}`);
    await scene.idle();
    expect(scene.asked.get('probe es')).toBe(1);
    await scene.later();
    expect(scene.asked.get('probe es')).toBe(2);
    await scene.say(GENERAL, 'meanwhile');
    await scene.idle();
    expect(scene.contexts.has('meanwhile')).toBe(false);
  });

  it('tells moderators why messages wait', async () => {
    scene.down.add('es');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({
      waiting: 1,
      outage: { languages: ['es'], reason: { key: 'reasons.unavailable' } },
    });
    // Nothing of another space waits for it.
    expect((await scene.inbox.backlog(WORKSPACE)).outage).toBeUndefined();
    scene.down.clear();
    await scene.later();
    expect((await scene.inbox.backlog(SPACE)).outage).toBeUndefined();
  });

  it('is not told any more once nothing waits for its end', async () => {
    scene.down.add('es');
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    for (let minutes = 0; minutes < 3; minutes += 1) await scene.later();
    expect((await scene.inbox.backlog(SPACE)).outage).toBeUndefined();
  });

  it.each<readonly [string, AppError, MessageKey]>([
    ['a refused key', refused(401), 'service.bad-key'],
    ['spent credit', refused(402), 'service.no-credit'],
    ['no access', refused(403), 'service.no-access'],
    ['a path that is gone', refused(404), 'reasons.missing'],
    ['another contract', refused(400), 'service.refused'],
    ['a page in place of a reply', new AppError('bad-reply', 'no JSON'), 'reasons.bad-reply'],
    [
      'a model that refuses everything',
      new AppError('bad-reply', 'a refusal', NOT_TRANSLATED),
      'service.not-translated',
    ],
  ])('is whatever all messages meet, and gives up none: %s', async (_, fault, key) => {
    scene.service.fault = fault;
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.say(GENERAL, 'again');
    await untilGivenUp(scene);
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', told(key), 'again']);
    const backlog = await scene.inbox.backlog(SPACE);
    expect(backlog).toMatchObject({ waiting: 2, dead: 0, outage: { reason: { key } } });
    scene.service.fault = undefined;
    await scene.later();
    expect(scene.feed.texts(GENERAL).slice(3)).toEqual(['🇪🇸 es(hello)', '🇪🇸 es(again)']);
  });

  it('is over at once where somebody tries again, or sets another key', async () => {
    for (const act of [
      () => scene.inbox.revive(SPACE),
      () => scene.store.write((db) => scene.store.signals.publish(db, 'space-key', SPACE)),
    ]) {
      scene.service.fault = refused(403);
      const { ref } = await scene.say(GENERAL, 'hello');
      await scene.idle();
      scene.service.fault = undefined;
      await act();
      // No time passes.
      await scene.idle();
      expect(await scene.outcomes()).toMatchObject({ [ref.id]: 'posted' });
    }
  });

  it('ends for every channel with the first that is served again', async () => {
    const other = channel('other');
    await scene.watches.set([watchOf(GENERAL), watchOf(other)]);
    scene.down.add('es');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.say(other, 'hello');
    await scene.idle();
    scene.down.clear();
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(scene.feed.texts(other)).toEqual(['hello', '🇪🇸 es(hello)']);
  });

  it('is no text that the service alone refuses, whose reason is told', async () => {
    scene.faults.set('bad', [refused(403)]);
    await scene.say(GENERAL, 'bad');
    await scene.idle();
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({
      dead: 1,
      newestDead: [{ reason: { key: 'service.no-access' } }],
    });
  });

  it('of one language lets the others through', async () => {
    await scene.watches.set([watchOf(GENERAL, { languages: ['es', 'ja'] })]);
    scene.down.add('ja');
    await scene.say(GENERAL, 'hello');
    await untilGivenUp(scene);
    expect(scene.feed.texts(GENERAL)[1]).toBe(`🇪🇸 es(hello)\n🇯🇵 ${notYet('ja')}`);
    scene.down.clear();
    await scene.later();
    expect(scene.feed.texts(GENERAL)[1]).toBe('🇪🇸 es(hello)\n🇯🇵 ja(hello)');
  });
});
