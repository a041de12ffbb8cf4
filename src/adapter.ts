import type { Log } from './telemetry/log.ts';
import type { Texts } from './i18n/texts.ts';
import type { Services } from './command/services.ts';
import type { ChannelFeedListener } from './ports/channel-feed.ts';
import type { RoomWatcher } from './ports/voice.ts';
import type { CommandInfo, Choice } from './model/command-info.ts';
import type { OpenDeliveries, InstallationStore, KeepOpenAnswers } from './ports/store.ts';
import type { LocalModels } from './model/local-models.ts';
import type { Metrics } from './ops/metrics.ts';
import type { OpsPages } from './ops/pages.ts';
import type { Invocation, PressInvocation, CompletionRequest, Platform } from './ports/platform.ts';
import type { ChatLine } from './text/language/languages.ts';
import type { Processes } from './ports/processes.ts';
import type { RichText } from './rich-text/rich-text.ts';
import type { LineTranslation } from './translation/fan-out.ts';
import type { OpenDictation } from './voice/dictation.ts';
import type { ConfigSection } from './config.ts';
import type { LinkedMessage } from './model/place.ts';
import type { Finding } from './model/service.ts';
import { z } from 'zod';
/** The core as an adapter sees it. */
export interface Core {
  readonly log: Log;
  readonly texts: Texts;
  readonly services: Services;
  /** Takes what happens to the messages of watched channels. */
  readonly feedListener: ChannelFeedListener;
  /** Takes what happens in voice rooms. */
  readonly rooms: RoomWatcher;
  /** Every command that the platform can serve, with its texts in the best locale for `locale`. */
  commands(locale: string, platform: string): readonly CommandInfo[];
  /** The names of the commands that other platforms serve, and this one doesn't. */
  elsewhere(platform: string): readonly string[];
  /** False where a person may not use a command or control, as the use itself would say. Never rejects. */
  admits(
    asked: Pick<Invocation, 'member' | 'channel'> &
      (Pick<Invocation, 'command'> | Pick<PressInvocation, 'press'>),
  ): Promise<boolean>;
  /** Runs a command to its end. Never rejects: faults are shown through `invocation.answer`. */
  dispatch(invocation: Invocation): Promise<void>;
  /** Does what a pressed control says. Never rejects. */
  press(invocation: PressInvocation): Promise<void>;
  /**
   * Resolves with at most `Capabilities.choices`; with none when there is nothing to offer or the
   * lookup failed.
   */
  complete(request: CompletionRequest): Promise<readonly Choice[]>;
  /**
   * Translates one line of chat into each of `languages`, at most one request a language; yields growing
   * texts, the languages interleaved. A language that the line is in already yields nothing. Never
   * rejects: a failure is the last item of its language.
   */
  translateLine(
    line: ChatLine & { readonly text: RichText },
    languages: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<LineTranslation>;
  /** False where other processes take the events of platforms: an adapter then only asks and posts. */
  readonly receives: boolean;
  /** Recognises speech while somebody records it. */
  readonly openDictation: OpenDictation;
  /** Tokens of the spaces that installed an app; undefined without `ENCRYPTION_KEY`. */
  readonly installations?: InstallationStore;
  /** Opens what keeps the events of a platform that wants them acknowledged. */
  readonly openDeliveries: OpenDeliveries;
  /** Opens what keeps the answers that people wait for. */
  readonly keepOpenAnswers: KeepOpenAnswers;
  /** Leases, rates and numbers that the adapter shares with other processes on the same database. */
  readonly processes: Processes;
  /** Tells of each platform that is on, by its name, whether people can use it. */
  ready(): Readonly<Record<string, boolean>>;
  /** The installer of models; undefined where the service is not the built-in one. */
  readonly models?: () => Promise<LocalModels>;
  /** Takes what the adapter measures. */
  readonly metrics: Metrics;
  /** Health, readiness and metrics, for an adapter that has a port. */
  readonly ops: OpsPages;
}

export interface Adapter extends AsyncDisposable {
  readonly platform: Platform;
  /**
   * Settles when people can use it, or when it goes on trying by itself; the text says where, e.g. an
   * address to open. Disposed of meanwhile, it leaves nothing behind, and may reject.
   */
  start(): Promise<{ readonly where: string }>;
  /** True while people can use it; see `Core.ready`. */
  ready(): boolean;
  /** Takes over no more work of other processes, as the program is about to stop; all that it has goes on. */
  drain?(): void;
}

/** The default export of `adapters/<name>/index.ts`. */
export interface AdapterModule {
  /** The folder's name. */
  readonly name: string;
  /** The environment variables that it reads. */
  readonly config: ConfigSection;
  /** Undefined when the configuration leaves this adapter off; only otherwise is its library loaded. */
  create(config: never, core: Core): Promise<Adapter | undefined>;
  /**
   * Looks at all that the adapter needs of its platform; nothing where it is off. Never throws.
   *
   * @param isAsked true for who asked for this platform by its name, and wants to set it up
   */
  readonly diagnose?: (config: never, core: Core, isAsked: boolean) => AsyncIterable<Finding>;
  /** Reads a link to a message of the platform, without asking it; undefined for any other address. */
  readonly readLink?: (address: URL) => LinkedMessage | undefined;
}

export const defineAdapter = <Section extends ConfigSection>(module: {
  readonly name: string;
  readonly config: Section;
  create(config: z.infer<Section>, core: Core): Promise<Adapter | undefined>;
  diagnose?(config: z.infer<Section>, core: Core, isAsked: boolean): AsyncIterable<Finding>;
  readLink?(address: URL): LinkedMessage | undefined;
}): AdapterModule => module;

const adapterModule = z.looseObject({
  name: z.string(),
  config: z.instanceof(z.ZodObject),
  create: z.function(),
});

/**
 * Says what is wrong with the default export of `adapters/<folder>/index.ts`; undefined for a good
 * one.
 */
export const adapterFault = (value: unknown, folder: string): string | undefined => {
  const parsed = adapterModule.safeParse(value);
  if (!parsed.success) return 'its default export is no adapter: see defineAdapter';
  return parsed.data.name === folder
    ? undefined
    : `its adapter is named ${parsed.data.name}, not as the folder`;
};
