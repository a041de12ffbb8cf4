import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ServiceClient } from './api/client.ts';
import { createAssistant } from './chat/assistant.ts';
import type { Command } from './command/command.ts';
import { httpUrl } from './config.ts';
import { toAppError } from './errors.ts';
import { createDispatcher } from './command/dispatcher.ts';
import type { Texts } from './i18n.ts';
import { logLevel, type Log } from './log.ts';
import type { Adapter, Core } from './adapter.ts';
import type { ServiceStatus } from './model/service-status.ts';
import type { Services } from './command/services.ts';
import { usageChart } from './usage/chart.ts';
import { realClock, type Clock } from './async/clock.ts';
import { createRooms } from './voice/rooms.ts';
import { createSpeaker } from './speech/speaker.ts';
import { transcriptFile } from './speech/transcript-file.ts';
import { createTranscriber } from './speech/transcriber.ts';
import { databaseUrl, type Store } from './store/index.ts';
import { openEmbeddedLeases } from './store/embedded-leases.ts';
import { createMemberSettings } from './store/member-settings.ts';
import { createPrivacy } from './store/privacy.ts';
import { createRoomConsents } from './store/room-consents.ts';
import { createSpaceSettings } from './store/space-settings.ts';
import { createUsage } from './store/usage.ts';
import { detectLanguage } from './text/language/detect.ts';
import { findLanguage, languageName, searchLanguages } from './text/language/languages.ts';
import { translateLine } from './translation/fan-out.ts';
import { createGlossary } from './translation/glossary.ts';
import { createTranslator } from './translation/translator.ts';
import { openAutoTranslate, type AutoTranslate } from './autotranslate/index.ts';

const days = (fallback: number, fewest: number) =>
  z.coerce
    .number({ error: 'must be a number of days' })
    .min(fewest, `must be ${fewest} or more`)
    .max(3_650, 'must be 3650 or less')
    .default(fallback);

export const coreSection = z
  .object({
    SPEECH_API_URL: httpUrl
      .optional()
      .describe(
        'Address of the speech, translation and language-model service. Default: built in.',
      ),
    SPEECH_API_KEY: z
      .string()
      .regex(/^[^\s:]+:\S+$/, 'must be the whole key, its prefix and colon included')
      .optional()
      .describe('The key for SPEECH_API_URL, prefix included.'),
    SPEECH_CHAT_MODEL: z
      .string()
      .optional()
      .describe('The language model that /ask uses. Default: the choice of the service.'),
    SPEECH_TRANSLATION_MODEL: z
      .string()
      .optional()
      .describe('The translation model. Default: the choice of the service.'),
    DATABASE_URL: databaseUrl.describe('Where the data is kept: sqlite:PATH.'),
    // A day is looked back to after a time away, and rows have to outlive that.
    INBOX_DAYS: days(7, 2).describe(
      'How long it is kept which messages of watched channels were dealt with, in days.',
    ),
    COPY_DAYS: days(365, 1).describe(
      'How long edits and deletes follow to translations that were posted, in days.',
    ),
    LOG_LEVEL: logLevel.describe(
      'How much is logged: fatal, error, warn, info, debug, trace, silent.',
    ),
  })
  .refine(({ SPEECH_API_URL, SPEECH_API_KEY }) => !SPEECH_API_URL === !SPEECH_API_KEY, {
    path: ['SPEECH_API_KEY'],
    error: 'must be set together with SPEECH_API_URL',
    // Also when other variables are wrong, so that every mistake is told at once.
    when: () => true,
  });
export type CoreConfig = z.infer<typeof coreSection>;

export interface CoreDeps {
  readonly client: ServiceClient;
  readonly store: Store;
  readonly texts: Texts;
  readonly log: Log;
  readonly commands: readonly Command[];
  readonly config: Pick<
    CoreConfig,
    'SPEECH_CHAT_MODEL' | 'SPEECH_TRANSLATION_MODEL' | 'INBOX_DAYS' | 'COPY_DAYS'
  >;
  /** Built in: what its engines say. Otherwise undefined, and the service is asked for its voices. */
  readonly engines: (() => Promise<ServiceStatus['engines']>) | undefined;
  /** Built in: whether any engine translates into a language. A service elsewhere does not say. */
  readonly translates?: Services['translates'] | undefined;
  /** Of rooms. Default: real time. */
  readonly clock?: Clock;
}

/** The core at work, and what `main.ts` joins the adapters to. */
export interface RunningCore extends AsyncDisposable {
  readonly core: Core;
  readonly watching: Pick<AutoTranslate, 'idle'>;
  /** Makes a platform known, before its adapter starts. */
  readonly attach: (adapter: Pick<Adapter, 'platform' | 'ready'>) => void;
}

const modelOf = (model: string | undefined): { model?: string } => (model ? { model } : {});

/** A service elsewhere tells nothing of its engines: it is one line of the table itself. */
const remoteReport = (ready: boolean, detail: string): ServiceStatus => ({
  builtIn: false,
  reachable: ready,
  engines: [
    {
      name: 'SPEECH_API_URL',
      serves: ['speech', 'recognition', 'translation', 'chat'],
      ready,
      detail,
    },
  ],
});

export const openCore = async ({
  client,
  store,
  texts,
  log,
  commands,
  config,
  engines,
  translates = async () => undefined,
  clock = realClock,
}: CoreDeps): Promise<RunningCore> => {
  const languages: Services['languages'] = {
    find: findLanguage,
    name: languageName,
    search: searchLanguages,
    detect: detectLanguage,
  };
  const adapters = new Map<string, Pick<Adapter, 'platform' | 'ready'>>();
  const glossary = createGlossary(store, languages);
  const spaceSettings = createSpaceSettings(store);
  const spaces: Services['spaces'] = {
    ...spaceSettings,
    change: async (space, change) => {
      await spaceSettings.change(space, change);
      if (change.rooms) await roomService.choicesChanged(space);
    },
  };
  const usage = createUsage(store, usageChart);
  const kept = createPrivacy(store);
  const translator = createTranslator({
    client,
    glossary,
    languages,
    ...modelOf(config.SPEECH_TRANSLATION_MODEL),
  });
  const transcriber = createTranscriber({ client, glossary });
  const watching = await openAutoTranslate({
    store,
    leases: await openEmbeddedLeases(store, randomUUID()),
    log,
    texts,
    services: { languages, translator, transcriber, spaces, usage, privacy: kept },
    inboxDays: config.INBOX_DAYS,
    mirrorDays: config.COPY_DAYS,
  });

  const privacy: Services['privacy'] = {
    ...kept,
    setOptedOut: async (member, optedOut) => {
      if (optedOut) roomService.forget(member);
      await kept.setOptedOut(member, optedOut);
      if (!optedOut) return roomService.optedIn(member);
      // A wish to be heard may have been under way meanwhile.
      roomService.forget(member);
      await watching.forget(member);
    },
    forget: async (member) => {
      roomService.forget(member);
      await kept.forget(member);
      await watching.forget(member);
    },
  };

  const remoteStatus = async (signal: AbortSignal): Promise<ServiceStatus> => {
    try {
      const voices = await client.voices({ signal, hasOtherWay: true });
      return remoteReport(true, `${voices.length} voices`);
    } catch (thrown) {
      return remoteReport(false, toAppError(thrown).message);
    }
  };
  const status: Services['status'] = async (signal) =>
    engines ? { builtIn: true, reachable: true, engines: await engines() } : remoteStatus(signal);

  const dispatcher = createDispatcher({
    commands,
    texts,
    log,
    can: (platform, part) => {
      const { voice, feed, mirrors } = adapters.get(platform)?.platform ?? {};
      return part === 'rooms' ? voice !== undefined : (feed && mirrors) !== undefined;
    },
    naming: (platform) => adapters.get(platform)?.platform.naming ?? 'plain',
    authorsOf: (message) => watching.authorsOf(message),
    services: () => services,
  });
  const services: Services = {
    languages,
    glossary,
    settings: createMemberSettings(store),
    translator,
    transcriber,
    transcriptFile,
    speaker: createSpeaker({ client }),
    assistant: createAssistant({ client, ...modelOf(config.SPEECH_CHAT_MODEL) }),
    watches: watching.watches,
    inbox: watching.inbox,
    spaces,
    usage,
    privacy,
    get rooms() {
      return roomService.rooms;
    },
    status,
    translates,
    commands: dispatcher.commands,
  };
  const roomService = createRooms({
    client,
    services,
    consents: createRoomConsents(store),
    platformOf: (name) => adapters.get(name)?.platform,
    texts,
    log,
    clock,
    now: Date.now,
  });

  return {
    watching,
    attach: (adapter) => {
      adapters.set(adapter.platform.name, adapter);
      watching.attach(adapter.platform);
    },
    core: {
      log,
      texts,
      services,
      ...dispatcher,
      feedListener: watching.listener,
      rooms: roomService.watcher,
      translateLine: (line, targets, signal) => translateLine(translator, line, targets, signal),
      status,
      ready: () =>
        Object.fromEntries([...adapters].map(([name, adapter]) => [name, adapter.ready()])),
    },
    [Symbol.asyncDispose]: async () => {
      await roomService[Symbol.asyncDispose]();
      await watching[Symbol.asyncDispose]();
    },
  };
};
