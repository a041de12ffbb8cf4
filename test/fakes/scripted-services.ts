import type { Store } from '../../src/store/index.ts';
import { userError } from '../../src/errors.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { transcriptFile } from '../../src/speech/transcript.ts';
import type { Services } from '../../src/command/services.ts';
import { rootOf } from '../../src/model/message.ts';
import { missedSinceMs, MOST_MISSED } from '../../src/autotranslate/asked/missed.ts';
import { createReadTranslations } from '../../src/autotranslate/asked/translations.ts';
import { createAudit, noteChange } from '../../src/store/audit.ts';
import { createBlocks } from '../../src/store/blocks.ts';
import type { GrowingText, Translation } from '../../src/translation/translator.ts';
import { createSpaceKeys, createOwnKeys } from '../../src/store/secrets/own-keys.ts';
import { createMemberSettings, createSpaceSettings } from '../../src/store/settings.ts';
import { createPrivacy } from '../../src/store/privacy/person-data.ts';
import { createUsage } from '../../src/store/usage.ts';
import { createLimits } from '../../src/usage/limits.ts';
import { demandSetup, joinMark, panelChanged } from '../../src/autotranslate/replaced.ts';
import { createEngineTurns } from '../../src/translation/engine-turns.ts';
import { createLanguageHistory } from '../../src/translation/language-history.ts';
import { findLanguage, languageName, searchLanguages } from '../../src/text/language/languages.ts';
import { currentActor } from '../../src/store/actor.ts';
import { createWatchUndos, putUndo } from '../../src/store/channels/watch-undos.ts';
import {
  createEndedWatches,
  type EndedWatchesDeps,
} from '../../src/autotranslate/ended-watches.ts';
import { createSetups } from '../../src/autotranslate/setup/setups.ts';
import { createSetupStore } from '../../src/store/setups.ts';
import { createHastyClock } from './clock.ts';
import { shownOf } from './platform.ts';
import type { Script } from './command-script.ts';
import { rich } from './rich-text.ts';
import type { WatchRules } from '../../src/model/rules.ts';
import type { FakeRooms } from './rooms.ts';
import { silentLog } from './silent-log.ts';
import { createNoGlossary } from './core-services.ts';

/** One in the evening of a day that the tests know. */
const NOW_MS = Date.UTC(2026, 4, 20, 13);

const createWatches = (
  script: Script,
  store: Store,
): Omit<Services['watches'], 'set'> & EndedWatchesDeps['watches'] => {
  const kept = new Map<string, ChannelWatch>();
  const proposed = new Map<string, ChannelWatch>();
  /** The rules of what was turned off, as the real watches keep them. */
  const rules = new Map<string, WatchRules>();
  const keep = (watch: ChannelWatch): void => {
    const { choices = kept.get(watch.channel.id)?.choices } = watch;
    const before = rules.get(watch.channel.id);
    const all = before ? { rules: before, ...choices } : choices;
    kept.set(watch.channel.id, all ? { ...watch, choices: all } : watch);
  };
  const dissolve = (group: string | undefined): void => {
    const left = [...kept.values()].filter((watch) => group && watch.group === group);
    if (left.length === 1 && left[0]) kept.delete(left[0].channel.id);
  };
  /** Stores an undo, and the entry about it, as the real watches do. */
  const noteEnd = async (ended: readonly ChannelWatch[]): Promise<void> => {
    const [actor, first] = [currentActor(), ended[0]];
    const undo = actor?.undo;
    if (!undo || !first) return;
    const { space, id: channelId } = first.channel;
    await store.write(async (db) => {
      await putUndo(db, space, undo, ended);
      const after = undo.isOfRules ? { choices: {} } : undefined;
      const noted = { id: undo.id, channelId, before: {}, after };
      await noteChange(db, space, actor, { ...noted, what: 'watch' });
    });
  };
  return {
    of: ({ id, parentId }) => kept.get(id) ?? kept.get(parentId ?? ''),
    list: () => [...kept.values()],
    set: async (watches, options, claim) => {
      if (script.refusal) throw script.refusal;
      if (claim) await store.write((db) => claim(db, [...kept.values()]));
      script.toldOf = options?.by;
      const before = watches.map(({ channel }) => kept.get(channel.id)?.group);
      for (const watch of watches) keep(watch);
      for (const group of before) dissolve(group);
    },
    change: async ({ id }, how) => {
      const watch = kept.get(id);
      if (!watch) return undefined;
      if (script.refusal) throw script.refusal;
      await noteEnd([watch]);
      kept.set(id, how(watch));
      return kept.get(id);
    },
    pause: async ({ id }, isPausing) => {
      const watch = kept.get(id);
      if (!watch) return undefined;
      const pause = { fromMs: NOW_MS, ...(isPausing ? {} : { untilMs: NOW_MS }) };
      kept.set(id, { ...watch, choices: { ...watch.choices, pause } });
      return kept.get(id);
    },
    join: async (watch, other, { seen } = {}) => {
      script.joining?.();
      const keys = script.members.map(({ key }) => key);
      if (seen !== undefined && seen !== joinMark(kept.get(watch.channel.id), keys))
        throw panelChanged(watch.channel);
      const group = kept.get(other.id)?.group;
      if (group === undefined) throw userError('not-found', 'autotranslate.not-linked');
      keep({ ...watch, group });
      return [...kept.values()].filter((each) => each.group === group);
    },
    remove: async ({ id }, _, others = []) => {
      const before = [...kept.values()];
      const { group, choices } = kept.get(id) ?? {};
      if (choices?.rules) rules.set(id, choices.rules);
      const removed = kept.delete(id);
      for (const { channel } of others) kept.delete(channel.id);
      dissolve(group);
      await noteEnd(before.filter(({ channel }) => !kept.has(channel.id)));
      return removed;
    },
    missing: async ({ channel }) => {
      const refusal = script.refusals[channel.id];
      if (refusal) throw refusal;
      return script.missing[channel.id] ?? [];
    },
    drawback: async ({ channel }) => script.drawbacks[channel.id],
    state: async () => script.state,
    elsewhere: () => script.members.length,
    mixesAges: async () => false,
    isTalk: () => false,
    members: async () => script.members,
    mute: async (_, key, isMuting) =>
      void script.decided.push(`${isMuting ? 'mute' : 'unmute'} ${key}`),
    agree: async (_, key) => {
      script.decided.push(`agree ${key}`);
      return script.members.flatMap((each) => (each.unagreed === 'here' ? [each.name] : []));
    },
    neighbours: async () => new Map([['T0TOWER', 'tower.example (Slack)']]),
    hold: async (_, key, isHolding) =>
      void script.decided.push(`${isHolding ? 'hold' : 'unhold'} ${key}`),
    expel: async (_, key, isWhole) =>
      void script.decided.push(`expel ${isWhole ? 'all of ' : ''}${key}`),
    invite: async () => ({ code: 'ABCD-EFGH-JKMN', expiresMs: 3_600_000 }),
    demandCode: async (code) => {
      if (code.startsWith('WRONG')) throw userError('not-found', 'autotranslate.link-unknown');
    },
    // The code of a group is its id, and that of its proposals.
    propose: async (code, watch, { admit }) => {
      const own = [...kept.values()].filter(({ group }) => group === code);
      await admit(own);
      const joined: ChannelWatch = { ...watch, group: code };
      proposed.set(code, joined);
      return {
        id: code,
        by: 'Ann',
        names: ['#there'],
        asksOther: true,
        isLater: true,
        watches: [...own, joined],
      };
    },
    ask: async (id, _, admit, seen) => {
      const joined = proposed.get(id);
      if (!joined) throw userError('not-found', 'autotranslate.link-over');
      await admit([joined]);
      demandSetup(joined.channel, [...kept.values()], seen);
      keep(joined);
      return 'linked';
    },
    answer: async (id, _, isAgreed) =>
      void script.decided.push(`${isAgreed ? 'link' : 'refuse'} ${id}`),
    stateOf: async () => 'over',
    openLinks: async () => script.openLinks,
    openLinksIn: async (space) => script.openLinksIn.map((id) => ({ space, id })),
    withdraw: async (id) => void script.decided.push(`withdraw ${id}`),
  };
};

const refuse = (): never => {
  throw new Error('the harness has no such service');
};

interface ScriptedDeps {
  readonly store: Store;
  readonly rooms: FakeRooms;
  readonly encryption: readonly Uint8Array[];
}

/** Creates services that do what the script says, over real settings. */
export const createScriptedServices = (
  script: Script,
  { store, rooms, encryption }: ScriptedDeps,
): Services => {
  const spaces = createSpaceSettings(store);
  const usage = createUsage(store, () => NOW_MS);
  const watches = createWatches(script, store);
  const ownKeys = createOwnKeys({ store, encryption, log: silentLog, now: () => NOW_MS });
  return {
    languages: {
      find: findLanguage,
      name: languageName,
      search: searchLanguages,
      ...createLanguageHistory(),
    },
    engineTurns: createEngineTurns({ nowMs: () => 0 }),
    translator: {
      async *translate(request): AsyncGenerator<GrowingText, Translation, void> {
        const { text, to, from = 'en' } = request;
        const model = script.model(request.model);
        if (from === to) return { text, from, to, outcome: 'same-language' };
        return { text: rich(`${to}:${plainText(text)}`), from, to, outcome: 'translated', model };
      },
    },
    transcriber: {
      async *transcribe() {
        yield* script.heard;
        if (script.deafness) throw script.deafness;
        return script.transcript;
      },
    },
    transcriptFile,
    speaker: { speak: refuse, voices: async () => script.voices },
    assistant: {
      async *answer(turns) {
        script.turns = turns;
        yield 'Forty';
        return 'Forty-two';
      },
    },
    endedWatches: createEndedWatches({
      spaces,
      watches,
      undos: createWatchUndos(store, () => NOW_MS + script.passedMs),
      formers: {
        of: async ({ space, id }) =>
          watches.list(space).some(({ channel }) => channel.id === id)
            ? undefined
            : script.formers[id],
        isBack: async () => false,
      },
      now: () => NOW_MS + script.passedMs,
    }),
    setups: createSetups({
      stored: createSetupStore(store, () => NOW_MS),
      builderOf: ({ platform }) => (platform === 'mute' ? undefined : script.builder),
      watches,
      spaces,
      languages: { name: languageName },
      now: () => NOW_MS,
      clock: createHastyClock(),
    }),
    people: async (_, typed) => script.named[typed] ?? [],
    post: async ({ id }, content) => void script.posted.push({ in: id, ...shownOf(content) }),
    glossary: createNoGlossary(refuse),
    settings: createMemberSettings(store),
    watches,
    audit: createAudit(store),
    blocks: {
      ...createBlocks(store, () => NOW_MS),
      lookUp: async (_, of) => ({
        people: script.people.filter(({ id }) => id === of),
        silent: script.silentSpaces,
      }),
    },
    spaces,
    usage,
    limits: createLimits({ spaces, usage, operator: script.operator, now: () => NOW_MS }),
    usageChart: () => script.chart(),
    inbox: {
      backlog: async () => script.backlog,
      revive: async () => {
        const { dead } = script.backlog;
        script.backlog = { ...script.backlog, waiting: dead, dead: 0, newestDead: [] };
        return dead;
      },
      explain: async () => script.explained,
      flagsOf: (_ref, memberId) => script.flags[memberId] ?? [],
    },
    messages: {
      read: async ({ id }) => script.messages.find(({ ref }) => ref.id === id),
      find: async (typed, _, mayRead) => {
        const found = script.messages.find(({ ref }) => typed === `https://chat.example/${ref.id}`);
        return found && (await mayRead(found.ref.channel)) ? found : undefined;
      },
      recent: async (_, most) => script.messages.slice(-most),
      since: async (_, from, __, thread) => {
        const asked = typeof from === 'string' ? from : missedSinceMs(from, NOW_MS);
        const messages = script.messages.filter(
          (one) => rootOf(one) === thread && Number(one.position) >= Number(asked),
        );
        const afterOwn = typeof from === 'string' ? undefined : from.afterOwn;
        const own = messages.findLastIndex(({ author }) => author.id === afterOwn);
        const { leftOut } = script;
        const sinceMs = Number(messages[own]?.position ?? asked);
        const unseen = messages.slice(own + 1);
        const read = { sinceMs, leftOut, thread };
        if (typeof from !== 'string')
          return {
            ...read,
            messages: unseen.slice(-MOST_MISSED),
            isCut: unseen.length > MOST_MISSED,
          };
        const next = unseen[MOST_MISSED]?.position;
        return { ...read, messages: unseen.slice(0, MOST_MISSED), isCut: false, next };
      },
      replies: async (roots, each) => {
        const all = roots.map(({ ref }) => script.messages.filter((one) => rootOf(one) === ref.id));
        return { messages: all.flatMap((some) => some.slice(0, each)), leftOut: 0 };
      },
      still: async (_, messages) => {
        if (!script.isReader)
          throw userError('forbidden', 'errors.channel-unseen', { channel: '' });
        const ids = new Set(messages.map(({ ref }) => ref.id));
        return {
          messages: script.messages.filter(({ ref }) => ids.has(ref.id)),
          leftOut: script.outMeanwhile,
        };
      },
      written: async (messages) =>
        messages.map(({ ref, text }) => script.sources.get(ref.id) ?? text),
      linkOf: ({ id }) => `https://chat.example/${id}`,
      threadLinkOf: ({ id }) => `https://chat.example/thread/${id}`,
      timeOf: ({ position }) => Number(position),
      positionAt: (_, timeMs) => String(timeMs),
      translations: createReadTranslations(() => NOW_MS),
    },
    privacy: createPrivacy(store, () => NOW_MS),
    rooms,
    spaceKeys: createSpaceKeys({
      ownKeys: {
        ...ownKeys,
        state: async (space) => {
          const state = await ownKeys.state(space);
          const { keyTrouble: trouble } = script;
          return state && trouble ? { ...state, trouble } : state;
        },
      },
      checkKey: async () => {
        if (script.keyFault) throw script.keyFault;
      },
    }),
    translates: async (to, from) =>
      ![to, `${from} ${to}`].some((pair) => script.untranslated.includes(pair)),
    translators: async () =>
      script.engines
        .filter(({ serves, ready }) => ready && serves.includes('translation'))
        .map(({ name }) => name)
        .filter((name) => !script.unable.includes(name)),
    modelsOf: async () => script.copied,
    storageFault: async () => script.storageFault,
    status: async (_, space) => {
      script.statusSpaces.push(space);
      return {
        builtIn: true,
        reachable: script.reachable,
        refusal: script.keyRefusal,
        engines: script.engines,
        recent: script.recent,
      };
    },
  };
};
