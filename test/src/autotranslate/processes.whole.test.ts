import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Channel } from '../../../src/model/place.ts';
import type { Message } from '../../../src/model/message.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { actAs } from '../../../src/store/actor.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import type { Store } from '../../../src/store/index.ts';
import type { AutoTranslate } from '../../../src/autotranslate/index.ts';
import type { Translator } from '../../../src/translation/translator.ts';
import {
  mirrorOf,
  openTestAutoTranslate,
  plainTranslator,
  watchOf,
} from '../../fakes/autotranslate.ts';
import {
  channel,
  createFakeFeed,
  lost,
  person,
  SPACE,
  type FakeFeed,
} from '../../fakes/channel-feed.ts';
import { auditOf } from '../../fakes/audit.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { createRandom } from '../../fakes/random.ts';

const [ENGLISH, SPANISH] = [channel('english'), channel('spanish')];
const PLAIN = Array.from({ length: 6 }, (_, index) => channel(`plain ${index}`));

/** One of the processes that work on the same channels. */
const openProcess = async (url: string, feed: FakeFeed, translator = plainTranslator) => {
  const store = await openTestStore(url);
  const running = await openTestAutoTranslate(store, {
    readyPlatforms: () => [feed.platform.name],
    translator,
  });
  running.attach(feed.platform);
  let isOver = false;
  const end = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await running[Symbol.asyncDispose]();
  };
  onTestFinished(end);
  return { store, running, end };
};

/** What stands in a channel, by who wrote it. */
const wordsIn = (feed: FakeFeed, of: Channel): string[] => feed.texts(of);

const openRows = async (store: Store): Promise<number> => {
  const rows = await store
    .selectFrom('inbox')
    .select('message_id')
    .where('state', '=', 'waiting')
    .execute();
  return rows.length;
};

describe('several processes on one database', () => {
  it('mirror every message once and in order, whoever hears of it, while processes come and go', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const random = createRandom(7);
    const processes = [await openProcess(url, feed), await openProcess(url, feed)];
    const [first] = processes as [(typeof processes)[0]];
    await first.running.watches.set([
      ...mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']),
      ...PLAIN.map((one) => watchOf(one)),
    ]);
    const said = new Map<Channel, string[]>();
    const say = async (to: Channel, number: number): Promise<void> => {
      const text = `m${number}`;
      said.set(to, [...(said.get(to) ?? []), text]);
      const message: Message = feed.say(to, text);
      const hearing = processes[Math.floor(random() * processes.length)]!;
      await hearing.running.listener.messageChanged(message);
    };
    const places = [ENGLISH, ENGLISH, ...PLAIN];
    for (let number = 0; number < 120; number += 1) {
      if (number === 40) processes.push(await openProcess(url, feed));
      if (number === 80) {
        const [leaving] = processes.splice(1, 1);
        await leaving!.end();
      }
      await say(places[Math.floor(random() * places.length)]!, number);
    }
    await expect.poll(() => openRows(first.store)).toBe(0);
    expect(wordsIn(feed, SPANISH)).toEqual(
      said.get(ENGLISH)!.map((text) => `ada: es(${text}) [🌐 inglés]`),
    );
    for (const place of PLAIN) {
      const shown = wordsIn(feed, place).filter((text) => text.startsWith('🇪🇸'));
      expect(shown).toEqual((said.get(place) ?? []).map((text) => `🇪🇸 es(${text})`));
    }
  });

  it('ask once for a link, whichever of them hears that the question does not stand yet', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const there = { ...SPACE, id: 'there' };
    feed.nameSpace(there, 'there.example');
    const all = [await openProcess(url, feed), await openProcess(url, feed)];
    const [{ watches }, other] = all.map(({ running }) => running) as [
      AutoTranslate,
      AutoTranslate,
    ];
    const post = feed.platform.post.bind(feed.platform);
    const posting = vi.spyOn(feed.platform, 'post');
    const leasing = vi.spyOn(all[1]!.store.leases, 'acquire');
    const by = { id: 'ada', name: 'Ada' };
    const admit = async (): Promise<void> => undefined;
    const mirror = (of: Channel) => watchOf(of, { mode: 'mirror' });
    const { code } = await watches.invite(mirror(ENGLISH), false, by);
    const conditions = { admit, mayMixAges: false, by };
    const joining = mirror(channel('theirs', undefined, there));
    const { id } = await watches.propose(code, joining, conditions);
    feed.fail({ call: 'post', error: lost() });
    expect(await watches.ask(id, there, admit)).toBe('unasked');
    const isPosting = Promise.withResolvers<void>();
    posting.mockImplementationOnce(async (...given) => {
      isPosting.resolve();
      // Until the other process posts, or waits for its turn.
      await expect.poll(() => posting.mock.calls.length + leasing.mock.calls.length).toBe(3);
      return post(...given);
    });
    const first = watches.ask(id, there, admit);
    await isPosting.promise;
    expect(await Promise.all([first, other.watches.ask(id, there, admit)])).toEqual([
      'asked',
      'asked',
    ]);
    expect(feed.texts(ENGLISH)).toHaveLength(1);
  });

  it('say once that a request for a link is over, whichever of them find that', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const there = { ...SPACE, id: 'there' };
    feed.nameSpace(there, 'there.example');
    const all = [await openProcess(url, feed), await openProcess(url, feed)];
    const [{ watches }] = all.map(({ running }) => running) as [AutoTranslate];
    const by = { id: 'ada', name: 'Ada' };
    const admit = async (): Promise<void> => undefined;
    const mirror = (of: Channel) => watchOf(of, { mode: 'mirror' });
    const { code } = await watches.invite(mirror(ENGLISH), false, by);
    const joining = mirror(channel('theirs', undefined, there));
    const { id } = await watches.propose(code, joining, { admit, mayMixAges: false, by });
    expect(await watches.ask(id, there, admit)).toBe('asked');
    const expired = { expires_ms: 0 };
    await all[0]!.store.updateTable('link_request').set(expired).execute();
    for (const { running } of [...all, ...all]) await running.watches.closeRequests();
    const { store } = all[0]!;
    await expect.poll(() => store.selectFrom('link_request').selectAll().execute()).toEqual([]);
    await expect.poll(() => store.leases.isAnyHeld('link-question')).toBe(false);
    expect(feed.calls.filter((call) => call === 'edit')).toHaveLength(1);
    expect(feed.asked(ENGLISH)).toEqual([]);
  });

  it.each<readonly [string, boolean]>([
    ['channels', false],
    ['rules', true],
  ])(
    'set back %s that another ended, once, also where both are asked at the same moment',
    async (_, isOfRules) => {
      const url = await makeDatabase();
      const feed = createFakeFeed();
      const all = [await openProcess(url, feed), await openProcess(url, feed)];
      const [one, other] = all.map(({ running }) => running) as [AutoTranslate, AutoTranslate];
      const by = { name: 'Ada', locale: 'en' };
      const choices = { rules: { shortest: 3 } };
      const linked = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']);
      await one.watches.set(linked.map((watch) => ({ ...watch, choices })));
      const listed = () => all.map(({ running }) => running.watches.list(SPACE));
      const [before = []] = listed();
      const ending = isOfRules ? before.slice(0, 1) : before;
      const work = (): Promise<unknown> =>
        isOfRules
          ? one.watches.change(ENGLISH, (watch) => ({ ...watch, choices: { rules: {} } }))
          : one.watches.remove(ENGLISH, by);
      const act = <Result>(press: () => Promise<Result>): Promise<Result> =>
        actAs({ id: 'ada', name: 'Ada', space: SPACE }, press);
      const restore = ({ endedWatches }: AutoTranslate, id: string) =>
        act(() => endedWatches.restore(SPACE, id, by, async () => undefined));
      const used = { sentence: { key: 'autotranslate.undone-already' } };
      const undone = async () =>
        (await auditOf(all[0]!.store, SPACE)).filter(({ after }) => after?.['isUndo'] === true);
      const rounds = 12;
      for (let round = 0; round < rounds; round += 1) {
        const [, id = ''] = await act(() =>
          one.endedWatches.ending(SPACE, ending, isOfRules, work),
        );
        expect(listed()).not.toContainEqual(before);
        const first = Promise.allSettled([restore(other, id)]);
        if (round % 2 === 0) await first;
        const pressed = [...(await Promise.allSettled([restore(one, id)])), ...(await first)];
        const refused = pressed.flatMap((each) =>
          each.status === 'rejected' ? [each.reason] : [],
        );
        expect(refused).toMatchObject([used]);
        expect(listed()).toEqual([before, before]);
      }
      expect(await undone()).toHaveLength(rounds * ending.length);
      expect(await one.endedWatches.list(SPACE)).toEqual([]);
    },
  );

  it('bring an edit of a pause once it is over, once, whichever of them ends it', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const translated: string[] = [];
    const translator: Translator = {
      translate: (request, signal) => {
        translated.push(plainText(request.text));
        return plainTranslator.translate(request, signal);
      },
    };
    const processes = [
      await openProcess(url, feed, translator),
      await openProcess(url, feed, translator),
    ];
    const [one, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
    await one.running.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    const { ref } = feed.say(ENGLISH, 'before');
    await one.running.listener.messageChanged(feed.messages(ENGLISH)[0]!);
    await expect.poll(() => wordsIn(feed, SPANISH).join()).toContain('es(before)');
    await other.running.watches.pause(SPANISH, true);
    await one.running.listener.messageChanged(feed.edit(ref, 'after'));
    const paused = async () =>
      one.store.selectFrom('inbox').select('purpose').where('state', '=', 'waiting').execute();
    await expect.poll(paused).toEqual([{ purpose: 'watch>place spanish' }]);
    expect(wordsIn(feed, SPANISH).join()).toContain('es(before)');
    await one.end();
    await other.running.watches.pause(SPANISH, false);
    await expect.poll(() => wordsIn(feed, SPANISH).join()).toContain('es(after)');
    await expect.poll(() => openRows(other.store)).toBe(0);
    expect(translated.filter((text) => text === 'after')).toHaveLength(1);
  });

  it('bring back what a link replaced once, also where both are asked at the same moment', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const all = [await openProcess(url, feed), await openProcess(url, feed)];
    const [one, other] = all.map(({ running }) => running) as [AutoTranslate, AutoTranslate];
    const own = watchOf(ENGLISH, { languages: ['ja'] });
    const back = { sentence: { key: 'autotranslate.former-already' } };
    const act = <Result>(press: () => Promise<Result>): Promise<Result> =>
      actAs({ id: 'ada', name: 'Ada', space: SPACE }, press);
    for (let round = 0; round < 6; round += 1) {
      await one.watches.set([own]);
      await one.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
      await one.watches.remove(SPANISH);
      const { id = '' } = (await other.endedWatches.former(ENGLISH)) ?? {};
      const press = ({ endedWatches }: AutoTranslate) =>
        act(() => endedWatches.bringBack(ENGLISH, id, { name: 'Ada', locale: 'en' }));
      const both = await Promise.allSettled([press(one), press(other)]);
      const refused = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused).toMatchObject([back]);
      expect(all.map(({ running }) => running.watches.list(SPACE))).toEqual([[own], [own]]);
    }
    const noted = await auditOf(all[0]!.store, SPACE);
    expect(noted.filter(({ after }) => after?.['isUndo'] === true)).toHaveLength(6);
  });

  it('give no deleted words to the service as context, whoever hears of the deletion', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const contexts = new Map<string, readonly string[]>();
    const translator: Translator = {
      translate: (request, signal) => {
        contexts.set(plainText(request.text), request.context ?? []);
        return plainTranslator.translate(request, signal);
      },
    };
    const processes = [
      await openProcess(url, feed, translator),
      await openProcess(url, feed, translator),
    ];
    const [one] = processes as [(typeof processes)[0]];
    await one.running.watches.set(PLAIN.map((place) => watchOf(place)));
    for (const place of PLAIN)
      for (const [number, { running }] of processes.entries()) {
        const { id } = place;
        const gone = feed.say(place, `gone ${id} ${number}`);
        await running.listener.messageChanged(gone);
        await expect.poll(() => contexts.has(`gone ${id} ${number}`)).toBe(true);
        await expect.poll(() => openRows(one.store)).toBe(0);
        feed.remove(gone.ref);
        await running.listener.messagesDeleted([gone.ref]);
        await expect.poll(() => openRows(one.store)).toBe(0);
        await running.listener.messageChanged(feed.say(place, `after ${id} ${number}`));
        await expect.poll(() => contexts.get(`after ${id} ${number}`)).toBeDefined();
        expect(contexts.get(`after ${id} ${number}`)!.join()).not.toContain('gone');
      }
  });

  it('never translate what somebody writes after an opt-out that another process has confirmed', async () => {
    const url = await makeDatabase();
    const feed = createFakeFeed();
    const [one, other] = [await openProcess(url, feed), await openProcess(url, feed)];
    await one.running.watches.set([watchOf(ENGLISH)]);
    for (let round = 0; round < 40; round += 1) {
      const author = person(`p${round}`);
      const say = async (text: string): Promise<void> =>
        other.running.listener.messageChanged(feed.say(ENGLISH, text, { author }));
      await say(`before ${round}`);
      await createPrivacy(one.store).setOptedOut({ platform: 'place', id: author.id }, true);
      await say(`after ${round}`);
    }
    await expect.poll(() => openRows(one.store)).toBe(0);
    expect(feed.texts(ENGLISH).filter((text) => text.includes('es(after'))).toEqual([]);
    const bea = feed.say(ENGLISH, 'by somebody else', { author: person('bea') });
    await other.running.listener.messageChanged(bea);
    await expect.poll(() => feed.texts(ENGLISH).at(-1)).toBe('🇪🇸 es(by somebody else)');
  });
});
