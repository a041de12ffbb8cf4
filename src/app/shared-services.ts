import type { ServiceClient } from '../api/client.ts';
import type { Realtime } from '../api/realtime/index.ts';
import type { Clock } from '../async/clock.ts';
import type { FallbackDecoder } from '../audio/codec/decode.ts';
import { createAssistant } from '../chat/assistant.ts';
import type { Services } from '../command/services.ts';
import type { CoreConfig } from './core-config.ts';
import type { PersonalData } from '../ports/platform.ts';
import { createSpeaker } from '../speech/speaker.ts';
import { createTranscriber } from '../speech/transcriber.ts';
import type { Store } from '../store/index.ts';
import type { OwnKeys } from '../store/secrets/own-keys.ts';
import { createPrivacy } from '../store/privacy/person-data.ts';
import { createMemberSettings, createSpaceSettings } from '../store/settings.ts';
import { createUsage } from '../store/usage.ts';
import {
  findLanguage,
  languageName,
  searchLanguages,
  type Languages,
} from '../text/language/languages.ts';
import { createGlossary } from '../translation/glossary.ts';
import type { LanguageHistory } from '../translation/language-history.ts';
import { createTranslator } from '../translation/translator.ts';
import { createLimits } from '../usage/limits.ts';
import { operatorLimits, type LimitConfig } from '../usage/operator-limits.ts';

/** The services that commands, voice rooms and the auto-translate use alike. */
export type SharedServices = Pick<
  Services,
  | 'assistant'
  | 'glossary'
  | 'languages'
  | 'limits'
  | 'privacy'
  | 'settings'
  | 'spaces'
  | 'speaker'
  | 'transcriber'
  | 'translator'
  | 'usage'
>;

export interface SharedServicesDeps {
  readonly client: ServiceClient;
  readonly realtime: Realtime | undefined;
  readonly store: Store;
  readonly ownKeys: Pick<OwnKeys, 'state'>;
  readonly languageHistory: LanguageHistory;
  /** The data about people that a platform keeps itself; undefined for none. */
  readonly personalDataOf: (platform: string) => PersonalData | undefined;
  readonly config: Pick<CoreConfig, 'SPEECH_CHAT_MODEL' | 'SPEECH_TRANSLATION_MODEL'> & LimitConfig;
  readonly fallbackDecoder: FallbackDecoder | undefined;
  readonly clock: Clock;
}

const modelOf = (model: string | undefined): { model?: string } => (model ? { model } : {});

/** Creates the shared services over the store and the service. */
export const createSharedServices = ({
  client,
  realtime,
  store,
  ownKeys,
  languageHistory,
  personalDataOf,
  config,
  fallbackDecoder,
  clock,
}: SharedServicesDeps): SharedServices => {
  const languages: Languages = {
    find: findLanguage,
    name: languageName,
    search: searchLanguages,
    detect: languageHistory.detect,
    rank: languageHistory.rank,
  };
  const glossary = createGlossary(store, languages);
  const spaces = createSpaceSettings(store);
  const usage = createUsage(store);
  return {
    languages,
    glossary,
    settings: createMemberSettings(store),
    spaces,
    usage,
    limits: createLimits({
      spaces,
      usage,
      operator: operatorLimits(config),
      ownsKey: async (space) => (await ownKeys.state(space)) !== undefined,
    }),
    privacy: createPrivacy(store, Date.now, personalDataOf),
    translator: createTranslator({
      client,
      glossary,
      languages,
      ...modelOf(config.SPEECH_TRANSLATION_MODEL),
    }),
    transcriber: createTranscriber({ client, glossary, fallback: fallbackDecoder, clock }),
    speaker: createSpeaker({
      client: realtime?.speech ? { ...client, speak: realtime.speech.speak } : client,
    }),
    assistant: createAssistant({ client, ...modelOf(config.SPEECH_CHAT_MODEL) }),
  };
};
