import type { ChatTurn, Voice } from '../../src/api/contract.ts';
import type { Explained } from '../../src/autotranslate/explain.ts';
import type { AppError, Sentence } from '../../src/errors.ts';
import type { PersonElsewhere } from '../../src/model/blocks.ts';
import type { Message, Transcript } from '../../src/model/message.ts';
import type { Space } from '../../src/model/place.ts';
import type { EngineReport, KeyTrouble, RecentCalls } from '../../src/model/service.ts';
import type { Changer } from '../../src/model/space.ts';
import type { AskedLink, LinkMember, WatchState } from '../../src/model/watches.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Access } from '../../src/ports/platform.ts';
import type { TranscriptionProgress } from '../../src/speech/transcriber.ts';
import type { FormerSetups } from '../../src/store/channels/former-setups.ts';
import type { Backlog } from '../../src/store/inbox/backlog.ts';
import type { OperatorLimits } from '../../src/usage/limits.ts';

import { createFakeBuilder, type FakeBuilder } from './builder.ts';
import type { Shown } from './platform.ts';

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

/** What the services of a harness do next. */
export interface Script {
  /** What `watches.set` rejects with. */
  refusal: AppError | undefined;
  /** The linked channels of other spaces, and what was decided about them. */
  members: readonly LinkMember[];
  /** Runs while a channel is added to a group. */
  joining?: () => void;
  /** What keeps every watch from being done. */
  state: WatchState;
  readonly decided: string[];
  /** What links replaced, by the ids of channels. */
  formers: Readonly<Record<string, Awaited<ReturnType<FormerSetups['of']>>>>;
  openLinks: readonly AskedLink[];
  /** Ids of the channels that everybody sees. */
  openChannels: readonly string[];
  /** Ids of the channels with open links. */
  openLinksIn: readonly string[];
  /** The people who are known in spaces that channels are linked with. */
  people: readonly PersonElsewhere[];
  /** The people of the own space, by what finds them. */
  named: Readonly<Record<string, readonly { readonly id: string; readonly name: string }[]>>;
  /** Names of linked spaces that do not answer who somebody is. */
  silentSpaces: readonly string[];
  /** The person of whom channels were told when watches were set last. */
  toldOf: Changer | undefined;
  /** Time that has passed since the start, ms. */
  passedMs: number;
  /** By the id of the channel. */
  missing: Readonly<Record<string, readonly string[]>>;
  /** Why channels cannot be looked at, by their ids. */
  refusals: Readonly<Record<string, AppError>>;
  /** What moderators can mend in channels, by their ids. */
  drawbacks: Readonly<Record<string, Sentence>>;
  /** What people may do, by the id of the channel. Default: write. */
  access: Readonly<Record<string, Access | undefined>>;
  backlog: Backlog;
  explained: readonly Explained[];
  /** The flags that people set on the message that is asked about, by their ids. */
  flags: Readonly<Record<string, readonly string[]>>;
  /** Makes channels and roles. */
  readonly builder: FakeBuilder;
  /** What was posted in channels, beside the answers. */
  readonly posted: (Shown & { readonly in: string })[];
  /** The messages of the channel, oldest first. */
  messages: readonly Message[];
  /** How many messages of people who opted out there are. */
  leftOut: number;
  /** How many of these opted out while their messages were translated. */
  outMeanwhile: number;
  /** The texts of the sources of copies, by the ids of these. */
  readonly sources: Map<string, RichText>;
  /** False where people may not read what was written in a channel before. */
  readsHistory: boolean;
  /** False where people do not see the channel any more. */
  isReader: boolean;
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

export const createScript = (): Script => ({
  refusal: undefined,
  toldOf: undefined,
  passedMs: 0,
  missing: {},
  drawbacks: {},
  refusals: {},
  access: {},
  backlog: NO_BACKLOG,
  explained: [],
  flags: {},
  builder: createFakeBuilder(),
  posted: [],
  messages: [],
  leftOut: 0,
  outMeanwhile: 0,
  sources: new Map(),
  readsHistory: true,
  isReader: true,
  members: [],
  state: { isLost: false, isHeld: false, elsewhere: { lost: 0, paused: 0 } },
  people: [],
  named: {},
  silentSpaces: [],
  decided: [],
  formers: {},
  openLinks: [],
  openChannels: [],
  openLinksIn: [],
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
});
