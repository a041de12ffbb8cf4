import type { AppError } from '../errors.ts';
import type { Languages } from '../text/language/languages.ts';
import type { EngineTurns } from '../translation/engine-turns.ts';
import type { Translator } from '../translation/translator.ts';
import type { Transcriber } from '../speech/transcriber.ts';
import type { Content, OutgoingFile, SpokenSegment, TranscriptKind } from '../model/message.ts';
import type { Speaker } from '../speech/speech.ts';
import type { Assistant } from '../chat/assistant.ts';
import type { Audit } from '../model/audit.ts';
import type { Blocks } from '../model/blocks.ts';
import type { Glossary } from '../model/glossary.ts';
import type { Channel, Member, MessageRef, Space } from '../model/place.ts';
import type { SpaceKeys } from '../store/secrets/own-keys.ts';
import type { MemberSettings, SpaceSettings } from '../store/settings.ts';
import type { Sentence } from '../errors.ts';
import type { ChannelWatch } from '../model/space.ts';
import type { Watches } from '../model/watches.ts';
import type { Limits } from '../usage/limits.ts';
import type { Usage, UsageDay } from '../store/usage.ts';
import type { Inbox } from '../store/inbox/backlog.ts';
import type { AskedMessages } from '../autotranslate/asked/messages.ts';
import type { EndedWatches } from '../autotranslate/ended-watches.ts';
import type { Explain } from '../autotranslate/explain.ts';
import type { FlagPressers } from '../autotranslate/flags/pressers.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import type { Setups } from '../autotranslate/setup/setups.ts';
import type { Rooms } from '../voice/room-types.ts';
import type { ServiceStatus } from '../model/service.ts';
/** The services of commands and adapters. Every method rejects with an `AppError`. */
export interface Services {
  readonly languages: Languages;
  readonly translator: Translator;
  readonly engineTurns: EngineTurns;
  readonly transcriber: Transcriber;
  /** A transcript as a file, with the times of what was said. */
  transcriptFile(kind: TranscriptKind, segments: readonly SpokenSegment[]): OutgoingFile;
  readonly speaker: Speaker;
  readonly assistant: Assistant;
  readonly glossary: Glossary;
  readonly settings: MemberSettings;
  readonly watches: Watches & {
    /** Names what makes a channel's translations less than they could be, where moderators can mend it. */
    drawback(watch: ChannelWatch): Promise<Sentence | undefined>;
  };
  readonly endedWatches: EndedWatches;
  readonly setups: Setups;
  /** Posts something in a channel for all to see. */
  post(to: Channel, content: Content): Promise<unknown>;
  /** Finds the person of a space who has an id, else people whose name begins so, as far as the platform finds them. */
  people(space: Space, idOrName: string): Promise<readonly Pick<Member, 'id' | 'name'>[]>;
  readonly spaces: SpaceSettings;
  readonly usage: Usage;
  readonly limits: Limits;
  /** Draws days of usage as a PNG picture. */
  usageChart(days: readonly UsageDay[]): Promise<Uint8Array>;
  readonly inbox: Inbox & { readonly explain: Explain } & Pick<FlagPressers, 'flagsOf'>;
  readonly blocks: Blocks;
  readonly audit: Audit;
  readonly messages: AskedMessages;
  readonly privacy: Privacy;
  readonly rooms: Rooms;
  readonly spaceKeys: SpaceKeys;
  /** @param space whose key the service is asked with; `NO_SPACE` for the operator's */
  status(signal: AbortSignal, space: Space): Promise<ServiceState>;
  /** Finds what keeps data from being stored; undefined where nothing does. */
  storageFault(): Promise<AppError | undefined>;
  /**
   * Resolves with true when anything translates into `to` at this moment: from `from`, or from any
   * language. Undefined where the service does not say.
   */
  translates(to: string, from?: string): Promise<boolean | undefined>;
  /** Names of the built-in service's engines that translate a pair, best first; none of another service. */
  translators(from: string, to: string): Promise<readonly string[]>;
  /** Names of the models that translated what one of our messages shows; none for any other message. */
  modelsOf(ref: MessageRef): Promise<readonly string[]>;
}

/** The status of the service as the key that it was asked with finds it. */
export interface ServiceState extends ServiceStatus {
  /** Why it answers that key with a refusal; undefined where it serves it, or does not answer. */
  readonly refusal?: Pick<AppError, 'sentence' | 'remedy'> | undefined;
}

/** Types of what services give, for commands. */
export type { RecentCalls } from '../model/service.ts';
export type { Backlog } from '../store/inbox/backlog.ts';
export type { FoundMessage } from '../autotranslate/asked/messages.ts';
export type { MissedMessages, ShownMessages } from '../autotranslate/asked/missed.ts';
export type { Explained, Explanation } from '../autotranslate/explain.ts';
export type { VoicePreference } from '../speech/speech.ts';
export type { TranscriptionProgress } from '../speech/transcriber.ts';
export type { Translation } from '../translation/translator.ts';
export type { AuditEntry } from '../model/audit.ts';
export type { SetupLook } from '../autotranslate/setup/plans.ts';
export type { BlockedPerson } from '../model/blocks.ts';
export type { UsageAmounts, UsageDay } from '../store/usage.ts';
export type { QueuedSpeech, Room } from '../voice/room-types.ts';
