import { timestamp } from '../../src/rich-text/rich-text.ts';
import { AppError } from '../../src/errors.ts';
import type { Services } from '../../src/command/services.ts';
import type { ServiceStatus } from '../../src/model/service.ts';
import { createEngineTurns } from '../../src/translation/engine-turns.ts';
import { NO_RESERVATION } from './reservation.ts';
import { createFakeRooms } from './rooms.ts';
import { createFakePrivacy, createFakeSettings, createFakeSpaces } from './settings.ts';
import { NO_BACKLOG } from './command-script.ts';
import type { Glossary } from '../../src/model/glossary.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  ar: 'Arabic',
  en: 'English',
  es: 'Spanish',
  fr: 'French',
  ja: 'Japanese',
  'en-XA': 'Pseudo-English',
};

const STATUS: ServiceStatus = {
  builtIn: true,
  reachable: true,
  engines: [
    { name: 'pseudo', serves: ['translation'], ready: true, detail: 'en-XA' },
    { name: 'espeak-ng', serves: ['speech'], ready: true, detail: '131 voices' },
    {
      name: 'apertium',
      serves: ['translation'],
      ready: false,
      detail: 'apt-get install -y apertium-eng-spa',
    },
    {
      name: 'openai',
      serves: ['chat', 'recognition'],
      ready: false,
      detail: 'SERVICE_OPENAI_URL=http://127.0.0.1:11434/v1',
    },
  ],
};

const NOTHING_USED = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What is wrong at this moment. */
export interface ServiceFaults {
  reachable: boolean;
  /** What the service refuses its key with. */
  refusal: AppError | undefined;
  storage: AppError | undefined;
}

const refuse = (): never => {
  throw new AppError('unsupported', 'the fake has no such service');
};

/** A glossary of which every call ends with `end`. */
export const createNoGlossary = (end: () => never): Glossary => ({
  add: end,
  remove: end,
  list: end,
  applying: end,
  inText: end,
  previewImport: end,
  finishImport: end,
  dropImport: end,
  exportCsv: end,
  propose: end,
  proposals: end,
  decide: end,
});

const search: Services['languages']['search'] = (typed) =>
  Object.entries(LANGUAGES)
    .map(([code, name]) => ({ code, name }))
    .filter(({ code, name }) => `${code} ${name}`.toLowerCase().includes(typed.toLowerCase()));

/** Services of which nothing is left in a store, with the faults that the test says. */
export const createCoreServices = (faults: ServiceFaults): Services => {
  return {
    languages: {
      find: (typed) =>
        Object.keys(LANGUAGES).find(
          (code) => code === typed || LANGUAGES[code]?.toLowerCase() === typed.toLowerCase(),
        ),
      name: (code) => LANGUAGES[code] ?? code,
      search,
      detect: () => undefined,
      rank: () => [],
    },
    translator: { translate: refuse },
    engineTurns: createEngineTurns({ nowMs: () => 0 }),
    transcriber: { transcribe: refuse },
    transcriptFile: refuse,
    speaker: { speak: refuse, voices: refuse },
    assistant: { answer: refuse },
    endedWatches: {
      minutes: 10,
      list: async () => [],
      ending: async (_, __, ___, work) => [await work()],
      restore: refuse,
      former: async () => undefined,
      bringBack: refuse,
    },
    setups: {
      offers: () => undefined,
      begin: refuse,
      find: refuse,
      choose: refuse,
      unfinished: async () => [],
      look: refuse,
      make: refuse,
      undo: refuse,
      toggleRole: refuse,
    },
    post: refuse,
    people: refuse,
    glossary: createNoGlossary(refuse),
    settings: createFakeSettings(),
    watches: {
      of: () => undefined,
      list: () => [],
      set: refuse,
      change: async () => undefined,
      pause: async () => undefined,
      join: refuse,
      remove: async () => false,
      missing: async () => [],
      drawback: async () => undefined,
      state: async () => ({ isLost: false, isHeld: false, elsewhere: { lost: 0, paused: 0 } }),
      elsewhere: () => 0,
      isTalk: () => false,
      invite: refuse,
      mixesAges: async () => false,
      members: async () => [],
      mute: refuse,
      agree: refuse,
      neighbours: async () => new Map(),
      hold: refuse,
      expel: refuse,
      demandCode: refuse,
      propose: refuse,
      ask: refuse,
      answer: refuse,
      stateOf: refuse,
      openLinks: async () => [],
      openLinksIn: async () => [],
      withdraw: refuse,
    },
    audit: { days: 400, list: async function* list() {}, csv: refuse },
    blocks: { list: async () => [], of: refuse, lookUp: refuse, add: refuse, remove: refuse },
    spaces: createFakeSpaces(),
    usage: {
      record: async () => undefined,
      today: async () => NOTHING_USED,
      todayEverywhere: async () => NOTHING_USED,
      todayOf: async () => NOTHING_USED,
      top: async () => [],
      days: async () => [],
    },
    limits: {
      of: async () => ({ operator: {}, person: {}, space: {}, reset: timestamp(0, 't') }),
      fault: async () => undefined,
      reserve: async () => NO_RESERVATION,
      remaining: async () => ({}),
    },
    usageChart: async () => PNG,
    inbox: {
      backlog: async () => NO_BACKLOG,
      revive: async () => 0,
      explain: async () => [],
      flagsOf: () => [],
    },
    messages: {
      read: refuse,
      find: refuse,
      recent: refuse,
      since: refuse,
      still: refuse,
      replies: refuse,
      written: refuse,
      linkOf: refuse,
      threadLinkOf: refuse,
      timeOf: refuse,
      positionAt: refuse,
      translations: { of: refuse, begin: refuse },
    },
    privacy: createFakePrivacy(),
    rooms: createFakeRooms(),
    translates: async () => undefined,
    translators: async () => [],
    modelsOf: async () => [],
    status: async () => ({ ...STATUS, reachable: faults.reachable, refusal: faults.refusal }),
    storageFault: async () => faults.storage,
    spaceKeys: { canStore: false, state: async () => undefined, set: refuse, remove: refuse },
  };
};
