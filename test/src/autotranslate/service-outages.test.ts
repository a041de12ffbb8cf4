import { describe, expect, it } from 'vitest';
import { NOT_TRANSLATED } from '../../../src/api/translation.ts';
import { AppError, type MessageKey } from '../../../src/errors.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import type { Message } from '../../../src/model/message.ts';
import {
  ENGLISH,
  GENERAL,
  linked,
  SPANISH,
  withScene,
  WORKSPACE,
  refused,
  untilGivenUp,
  notYet,
} from './support.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

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
