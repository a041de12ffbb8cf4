import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCallMetrics } from '../../../src/api/call-metrics.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import type { Content, Message } from '../../../src/model/message.ts';
import { NO_SPACE } from '../../../src/model/service.ts';
import type { Member } from '../../../src/model/place.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { channel, createFakeFeed, person } from '../../fakes/channel-feed.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { openOwnCore, type CoreParts } from '../../fakes/open-core.ts';
import { createStreamingRecogniser } from '../../fakes/recogniser.ts';
import { markdownOf } from '../../fakes/rich-text.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ASKER } from '../../fakes/asker.ts';
import { fresh } from '../../fakes/opened.ts';

const ADA: Member = { platform: 'place', id: 'ada', name: 'Ada', locale: 'en', role: 'member' };
const [HERE, THERE] = [channel('here'), channel('there')];

const BUILT_IN = {
  engines: async () => [],
  translates: async () => true,
  translators: async () => [],
};

const place = fresh(() => createFakeFeed());

describe('the core', () => {
  it.each<[string, boolean, Partial<CoreParts>]>([
    ['the built-in service', true, { builtIn: BUILT_IN }],
    ['realtime recognition', true, { realtime: { recognition: () => ({}) } as never }],
    ['requests to a service elsewhere, which may cost', false, {}],
  ])(
    'recognises words of a recording before they end with %s: %s',
    async (_, hasPartials, part) => {
      const asked: boolean[] = [];
      await using running = await openOwnCore({
        ...part,
        createRecogniser: ({ partials }) => {
          asked.push(partials);
          return createStreamingRecogniser();
        },
      });
      const dictation = await running.core.openDictation({
        member: ADA,
        channel: HERE,
        listener: { words: () => undefined, ended: () => undefined },
      });
      dictation[Symbol.dispose]();
      expect(asked).toEqual([hasPartials]);
    },
  );

  it('knows which platforms can be used', async () => {
    await using running = await openOwnCore();
    let isReady = false;
    expect(running.core.ready()).toEqual({});
    running.attach({ platform: place.platform, ready: () => isReady });
    expect(running.core.ready()).toEqual({ place: false });
    isReady = true;
    expect(running.core.ready()).toEqual({ place: true });
  });

  it('is ready while a platform is, and no more once the program stops', async () => {
    const draining = new AbortController();
    await using running = await openOwnCore({
      builtIn: BUILT_IN,
      draining: draining.signal,
    });
    running.attach({ platform: place.platform, ready: () => true });
    const readyz = () => running.core.ops.reply('/readyz', { isPublic: false });
    const parts = { place: true, service: true, storage: true };
    expect(JSON.parse((await readyz()).body)).toEqual({
      ready: true,
      starting: false,
      draining: false,
      parts,
    });
    draining.abort();
    const { status, body } = await readyz();
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({ ready: false, starting: false, draining: true, parts });
  });

  it('sums up the calls of the last hour in its status, and holds the operator’s limits', async () => {
    const metrics = createMetrics();
    const calls = createCallMetrics(metrics);
    const config = {
      INBOX_DAYS: 7,
      COPY_DAYS: 365,
      OPERATORS: new Set<string>(),
      LIMIT_CHARACTERS_PER_PERSON: 3,
    };
    await using running = await openOwnCore({ metrics, calls, config, builtIn: BUILT_IN });
    const { services } = running.core;
    const { signal } = new AbortController();
    expect((await services.status(signal, NO_SPACE)).recent).toBeUndefined();
    calls.onCall({
      ...ASKER,
      endpoint: 'tts',
      waitingMs: 0,
      serviceMs: 5,
      attempts: 1,
      outcome: 'timeout',
      characters: 1,
    });
    expect((await services.status(signal, NO_SPACE)).recent).toMatchObject({ calls: 1, failed: 1 });
    expect(await running.core.metrics.text()).toContain('outcome="timeout"} 1');
    expect((await services.limits.of(HERE.space)).person).toMatchObject({ characters: 3 });
  });

  it('tells whoever translates a copy which small engine made it', async () => {
    await using running = await openOwnCore();
    const { core, store } = running;
    running.attach({ platform: place.platform, ready: () => true });
    // A voice message: what its author wrote would be translated anew.
    const { ref } = place.say(HERE, '', { author: person('bob') });
    const copy: Message = place.say(THERE, 'Good morning, how are you today?', {
      author: { id: 'dragoman', name: 'bob', kind: 'ourselves' },
    });
    const posted = { channel: THERE, ids: [copy.ref.id] } as const;
    const mirror = {
      target: { channel: THERE },
      posted,
      contentHash: 'x',
      models: 'bergamot-pt-en',
    };
    await store.write((db) =>
      createMirrorStore(store, Date.now).put(db, { ref, purpose: 'watch' }, mirror, true),
    );
    const shown: Content[] = [];
    await core.dispatch({
      id: '1',
      command: 'translate',
      options: {},
      on: copy,
      member: ADA,
      channel: THERE,
      signal: new AbortController().signal,
      answer: { show: async (content) => void shown.push(content), paceMs: 0 },
    });
    expect(markdownOf(shown.at(-1)?.text ?? [])).toContain(
      sentence('translate.small-engine', { engines: 'Bergamot' }),
    );
  });

  it('uses no copy of somebody who opted out', async () => {
    await using running = await openOwnCore();
    const { core, store } = running;
    running.attach({ platform: place.platform, ready: () => true });
    const { ref } = place.say(HERE, 'hello', { author: person('bob') });
    const copy: Message = place.say(THERE, 'hola', {
      author: { id: 'dragoman', name: 'bob', kind: 'ourselves' },
    });
    const posted = { channel: THERE, ids: [copy.ref.id] } as const;
    await store.write((db) =>
      createMirrorStore(store, Date.now).put(
        db,
        { ref, purpose: 'watch' },
        { target: { channel: THERE }, posted, contentHash: 'x' },
        true,
      ),
    );
    await core.services.privacy.setOptedOut({ platform: 'place', id: 'bob' }, true);
    for (const command of ['say', 'translate', 'transcribe']) {
      const shown: Content[] = [];
      await core.dispatch({
        id: '1',
        command,
        options: {},
        on: copy,
        member: ADA,
        channel: THERE,
        signal: new AbortController().signal,
        answer: { show: async (content) => void shown.push(content), paceMs: 0 },
      });
      expect(markdownOf(shown.at(-1)?.text ?? [])).toBe(sentence('errors.author-opted-out'));
    }
  });
});

it('announces a proposal for the glossary that is accepted, and none that is refused', async () => {
  await using running = await openOwnCore({});
  const announced = vi.spyOn(running.autoTranslate, 'termAccepted');
  const { glossary } = running.core.services;
  const by = { platform: 'test', id: 'bob' };
  for (const term of ['fox', 'hen']) {
    const proposal = await glossary.propose(HERE, by, { term, translation: 'x', language: 'ja' });
    await glossary.decide(HERE.space, proposal!.id, term === 'fox');
  }
  expect(announced.mock.calls).toMatchObject([[{ channel: HERE, term: { term: 'fox' } }]]);
});

describe('the end of the work', () => {
  type Opened = Awaited<ReturnType<typeof openOwnCore>>;
  const beginCommand = async ({ core }: Opened, effect: () => Promise<void>): Promise<void> =>
    core.dispatch({
      id: '1',
      command: 'help',
      options: {},
      member: ADA,
      channel: HERE,
      signal: new AbortController().signal,
      answer: { show: effect, paceMs: 0 },
    });
  const beginEvent = async ({ core }: Opened, effect: () => Promise<void>): Promise<void> => {
    const deliveries = core.openDeliveries('place', effect);
    onTestFinished(() => deliveries[Symbol.dispose]());
    await deliveries.resume();
    await deliveries.take({
      id: '1',
      space: HERE.space,
      orderKey: 'here',
      authorId: undefined,
      body: '{}',
    });
  };

  it.each([
    ['a command', beginCommand, true],
    ['a command', beginCommand, false],
    ['an event', beginEvent, true],
    ['an event', beginEvent, false],
  ])('waits for %s that is under way, no longer than it may', async (_, begin, isInTime) => {
    const clock = createTestClock();
    await using running = await openOwnCore({ clock });
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const begins = begin(running, async () => {
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    const noted: string[] = [];
    const drained = running.drain(5_000).then(() => noted.push('drained'));
    await clock.advance(4_999);
    noted.push(isInTime ? 'the work ends' : 'the time ends');
    if (isInTime) ended.resolve();
    else await clock.advance(1);
    await drained;
    ended.resolve();
    await begins;
    expect(noted).toEqual([isInTime ? 'the work ends' : 'the time ends', 'drained']);
  });

  it('has moderators told of what was gathered, and waits no longer than two seconds', async () => {
    const clock = createTestClock();
    await using running = await openOwnCore({ clock });
    const told = vi.spyOn(running.autoTranslate, 'drain').mockReturnValue(new Promise(() => {}));
    const drained = running.drain(5_000);
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
    await clock.advance(2_000);
    await drained;
  });
});
