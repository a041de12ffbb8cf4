import type { ChatTurn, Voice } from '../../src/api/contract.ts';
import type { LinkMember } from '../../src/model/space.ts';
import { transcriptFile } from '../../src/speech/transcript.ts';
import type { CommandInfo } from '../../src/model/command-info.ts';
import { realCommands } from './real-commands.ts';
import { createDispatcher } from '../../src/command/dispatcher.ts';
import { userError, type AppError, type MessageKey, type Sentence } from '../../src/errors.ts';
import { silentLog } from './silent-log.ts';
import type { Channel, Space, Member } from '../../src/model/place.ts';
import type {
  Content,
  Control,
  Message,
  MessageFile,
  Transcript,
} from '../../src/model/message.ts';
import type { KeyTrouble, EngineReport, RecentCalls } from '../../src/model/service.ts';
import type { Explained } from '../../src/autotranslate/explain.ts';
import type { Backlog } from '../../src/store/inbox/backlog.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import type { TranscriptionProgress } from '../../src/speech/transcriber.ts';
import type { Services } from '../../src/command/services.ts';
import type { GrowingText, Translation } from '../../src/translation/translator.ts';
import { createSpaceKeys, createOwnKeys } from '../../src/store/secrets/own-keys.ts';
import { openStore } from '../../src/store/index.ts';
import { createMemberSettings, createSpaceSettings } from '../../src/store/settings.ts';
import { createPrivacy } from '../../src/store/privacy/person-data.ts';
import { createUsage } from '../../src/store/usage.ts';
import { createLimits } from '../../src/usage/limits.ts';
import type { OperatorLimits } from '../../src/usage/limits.ts';
import { createEngineTurns } from '../../src/translation/engine-turns.ts';
import { createLanguageHistory } from '../../src/translation/language-history.ts';
import { findLanguage, languageName, searchLanguages } from '../../src/text/language/languages.ts';
import type { Access, Platform } from '../../src/ports/platform.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { fakePlatform, readOn, shownOf, type Shown } from './platform.ts';
import { rich } from './rich-text.ts';
import { createFakeRooms, type FakeRooms } from './rooms.ts';
import { sentence } from './sentences.ts';
import { realTexts } from './texts.ts';

export const SPACE = { platform: 'test', id: 'space' };
export const HERE: Channel = { space: SPACE, id: '100' };
/** On a platform whose people cannot speak with each other. */
export const MUTE = { platform: 'mute', id: 'space' };

const MODERATOR: Member = {
  platform: 'test',
  id: 'ada',
  name: 'Ada',
  locale: 'en',
  role: 'moderator',
};

/** One in the evening of a day that the tests know. */
const NOW_MS = Date.UTC(2026, 4, 20, 13);

interface Asking {
  readonly member?: Partial<Member>;
  readonly channel?: Channel;
  readonly isGuest?: boolean;
  readonly on?: Message;
}

/** What the services of a harness do next. */
interface Script {
  /** What `watches.set` rejects with. */
  refusal: AppError | undefined;
  /** The linked channels of other spaces, and what was decided about them. */
  members: readonly LinkMember[];
  readonly decided: string[];
  /** By the id of the channel. */
  missing: Readonly<Record<string, readonly string[]>>;
  /** Why channels cannot be looked at, by their ids. */
  refusals: Readonly<Record<string, AppError>>;
  /** What moderators can mend in channels, by their ids. */
  drawbacks: Readonly<Record<string, Sentence>>;
  /** What people may do, by the id of the channel. Default: write. */
  access: Readonly<Record<string, Access>>;
  backlog: Backlog;
  explained: readonly Explained[];
  /** The messages of the channel, oldest first. */
  messages: readonly Message[];
  heard: readonly TranscriptionProgress[];
  transcript: Transcript;
  /** What recognition fails with, once all that was heard is shown. */
  deafness: AppError | undefined;
  reachable: boolean;
  /** What the service answers to the key of the space; undefined: it serves it. */
  keyRefusal: AppError | undefined;
  /** The spaces for which the status was asked. */
  readonly statusSpaces: Space[];
  storageFault: AppError | undefined;
  /** What the service says of a key that is to be set; undefined: it knows it. */
  keyFault: AppError | undefined;
  /** Why the key of a space is of no use. */
  keyTrouble: KeyTrouble | undefined;
  engines: readonly EngineReport[];
  /** The model that translates, where this one is asked. Default: the same. */
  model: (asked: string | undefined) => string;
  recent: RecentCalls | undefined;
  /** The models that translated what our messages show. */
  copied: readonly string[];
  /** Engines that translate other pairs than the one that is asked for. */
  unable: readonly string[];
  /** Pairs that no engine translates: `es` into Spanish, `en es` from English. */
  untranslated: readonly string[];
  chart: () => Promise<Uint8Array>;
  voices: readonly Voice[];
  /** The operator's limits. */
  readonly operator: { -readonly [Whose in keyof OperatorLimits]: OperatorLimits[Whose] };
  /** What the language model was last asked. */
  turns: readonly ChatTurn[];
}

/** Every command, over real settings and scripted services; the last answer can be pressed. */
/** The backlog of a space in which nothing waits. */
export const NO_BACKLOG: Backlog = {
  waiting: 0,
  oldestMs: undefined,
  dead: 0,
  overLimit: 0,
  newestDead: [],
  waitsFor: undefined,
  gaps: [],
  late: [],
  outage: undefined,
};

export interface CommandHarness extends AsyncDisposable {
  readonly script: Script;
  readonly services: Services;
  readonly rooms: FakeRooms;
  readonly commands: readonly CommandInfo[];
  /** All that was shown, the last one last. */
  readonly shown: readonly Shown[];
  run(command: string, options?: Record<string, unknown>, asking?: Asking): Promise<Shown>;
  /** Presses or chooses what has the sentence of `key` as its label under the last answer. */
  press(key: MessageKey, values?: readonly string[], asking?: Asking): Promise<Shown>;
  /** Presses a control by its `press`, as it stands under something that is no answer. */
  pressNamed(press: string, asking?: Asking, values?: readonly string[]): Promise<Shown>;
  complete(command: string, option: string, typed: string): Promise<readonly string[]>;
}

/** The control that has the sentence of `key` as its label. */
export const labelled = (
  content: Pick<Content, 'controls'> | undefined,
  key: MessageKey,
): Control | undefined => content?.controls?.find(({ label }) => label === sentence(key));

export const messageOf = (written: string, files: readonly MessageFile[] = []): Message => ({
  ref: { channel: HERE, id: 'message' },
  position: '1',
  author: { id: 'bob', name: 'Bob', kind: 'person' },
  text: rich(written),
  files,
  stickers: [],
});

const createWatches = (script: Script): Services['watches'] => {
  const kept = new Map<string, ChannelWatch>();
  const proposed = new Map<string, ChannelWatch>();
  const dissolve = (group: string | undefined): void => {
    const left = [...kept.values()].filter((watch) => group && watch.group === group);
    if (left.length === 1 && left[0]) kept.delete(left[0].channel.id);
  };
  return {
    of: ({ id, parentId }) => kept.get(id) ?? kept.get(parentId ?? ''),
    list: () => [...kept.values()],
    set: async (watches) => {
      if (script.refusal) throw script.refusal;
      const before = watches.map(({ channel }) => kept.get(channel.id)?.group);
      for (const watch of watches) {
        const { choices } = kept.get(watch.channel.id) ?? {};
        kept.set(watch.channel.id, choices ? { choices, ...watch } : watch);
      }
      for (const group of before) dissolve(group);
    },
    change: async ({ id }, how) => {
      const watch = kept.get(id);
      if (!watch) return undefined;
      if (script.refusal) throw script.refusal;
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
    join: async (watch, other) => {
      const group = kept.get(other.id)?.group;
      if (group === undefined) throw userError('not-found', 'autotranslate.not-linked');
      kept.set(watch.channel.id, { ...watch, group });
      return [...kept.values()].filter((each) => each.group === group);
    },
    remove: async ({ id }) => {
      const group = kept.get(id)?.group;
      const removed = kept.delete(id);
      dissolve(group);
      return removed;
    },
    missing: async ({ channel }) => {
      const refusal = script.refusals[channel.id];
      if (refusal) throw refusal;
      return script.missing[channel.id] ?? [];
    },
    drawback: ({ channel }) => script.drawbacks[channel.id],
    elsewhere: () => 0,
    members: async () => script.members,
    mute: async (_, key, isMuting) =>
      void script.decided.push(`${isMuting ? 'mute' : 'unmute'} ${key}`),
    expel: async (_, key, { name }) => void script.decided.push(`expel ${key} ${name}`),
    invite: async () => ({ code: 'ABCD-EFGH-JKMN', expiresMs: 3_600_000 }),
    // The code of a group is its id, and that of its proposals.
    propose: async (code, watch, { admit }) => {
      const own = [...kept.values()].filter(({ group }) => group === code);
      await admit(own);
      const joined: ChannelWatch = { ...watch, group: code };
      proposed.set(code, joined);
      return { id: code, by: 'Ann', names: ['#there'], watches: [...own, joined] };
    },
    ask: async (id, _, admit) => {
      const joined = proposed.get(id);
      if (!joined) throw userError('not-found', 'autotranslate.link-over');
      await admit([joined]);
      kept.set(joined.channel.id, joined);
      return 'linked';
    },
    answer: async () => undefined,
  };
};

/** Any platform; that of `MUTE` has no rooms. */
const platformOf = (name: string, script: Script): Platform => ({
  ...fakePlatform(name, [
    'feed',
    'mirrors',
    ...(name === MUTE.platform ? [] : (['voice'] as const)),
  ]),
  access: async (_, { id }) => script.access[id] ?? 'write',
});

const refuse = (): never => {
  throw new Error('the harness has no such service');
};

/** @param encryption the operator's `ENCRYPTION_KEY` */
export const openCommandHarness = async (
  encryption: readonly Uint8Array[] = [Buffer.alloc(32, 7)],
): Promise<CommandHarness> => {
  const store = await openStore('sqlite::memory:');
  const script: Script = {
    refusal: undefined,
    missing: {},
    drawbacks: {},
    refusals: {},
    access: {},
    backlog: NO_BACKLOG,
    explained: [],
    messages: [],
    members: [],
    decided: [],
    heard: [],
    transcript: { text: 'hello', language: 'en', durationMs: 1, segments: [] },
    deafness: undefined,
    reachable: true,
    keyRefusal: undefined,
    statusSpaces: [],
    model: (asked = 'large') => asked,
    keyFault: undefined,
    keyTrouble: undefined,
    storageFault: undefined,
    engines: [
      { name: 'pseudo', serves: ['translation', 'recognition'], ready: true, detail: 'en-XA' },
      { name: 'openai', serves: ['chat'], ready: false, detail: 'SERVICE_OPENAI_URL=…' },
    ],
    recent: undefined,
    copied: [],
    unable: [],
    untranslated: [],
    chart: async () => Buffer.from('PNG'),
    voices: [],
    operator: { space: {}, person: {} },
    turns: [],
  };
  const rooms = createFakeRooms();
  const spaces = createSpaceSettings(store);
  const usage = createUsage(store, () => NOW_MS);
  const ownKeys = createOwnKeys({ store, encryption, log: silentLog, now: () => NOW_MS });
  const services: Services = {
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
    glossary: {
      add: refuse,
      remove: refuse,
      list: refuse,
      applying: refuse,
      inText: refuse,
      previewImport: refuse,
      finishImport: refuse,
      dropImport: refuse,
      exportCsv: refuse,
      propose: refuse,
      proposals: refuse,
      decide: refuse,
    },
    settings: createMemberSettings(store),
    watches: createWatches(script),
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
    },
    messages: {
      read: async ({ id }) => script.messages.find(({ ref }) => ref.id === id),
      recent: async (_, most) => script.messages.slice(-most),
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
  const dispatcher = createDispatcher({
    commands: realCommands,
    texts: realTexts,
    log: silentLog,
    platforms: {
      find: (name) => platformOf(name, script),
      get: (name) => platformOf(name, script),
    },
    authorsOf: async ({ author }) => [author.id],
    operators: new Set(['test:ada']),
    services,
  });
  const shown: Shown[] = [];

  const invocation = ({ member, channel = HERE, isGuest = false }: Asking) => ({
    id: 'invocation',
    member: { ...MODERATOR, ...member },
    channel,
    isGuest,
    signal: new AbortController().signal,
    answer: { show: async (content: Content) => void shown.push(shownOf(content)), paceMs: 0 },
    readText: readOn(SPACE.platform),
  });

  const last = (before: number): Shown => {
    const content = shown.at(-1);
    if (!content || shown.length === before) throw new Error('nothing was shown');
    return content;
  };

  const doPress = async (
    press: string,
    values: readonly string[],
    asking: Asking,
  ): Promise<Shown> => {
    const before = shown.length;
    await dispatcher.press({ ...invocation(asking), press, values });
    return last(before);
  };

  return {
    script,
    services,
    rooms,
    shown,
    commands: dispatcher.commands('en', 'test'),
    async run(command, options = {}, asking = {}) {
      const before = shown.length;
      const { on } = asking;
      await dispatcher.dispatch({
        ...invocation(asking),
        command,
        options,
        ...(on ? { on } : {}),
      });
      return last(before);
    },
    pressNamed: (press, asking = {}, values = []) => doPress(press, values, asking),
    async press(key, values = [], asking = {}) {
      const control = labelled(shown.at(-1), key);
      if (!control) throw new Error(`there is nothing named ${key} to press`);
      return doPress(control.press, values, asking);
    },
    complete: async (command, option, typed) => {
      const choices = await dispatcher.complete({
        command,
        option,
        typed,
        member: MODERATOR,
        space: SPACE,
      });
      return choices.map(({ value, label }) => `${value}|${label}`);
    },
    [Symbol.asyncDispose]: () => store.destroy(),
  };
};
