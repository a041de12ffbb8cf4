import type { Capabilities } from '../../src/ports/platform.ts';

/** Bounds of the web adapter, in one place: a person on the page must not be able to fill the process. */
const KIB = 1_024;
const MIB = 1_024 * KIB;

export const WEB_LIMITS = {
  /** A command's text, as the page's field takes it. */
  textBytes: MIB,
  /** JSON bodies: a text and what surrounds it. */
  bodyBytes: MIB + 64 * KIB,
  /** A line somebody posts into a channel. */
  lineChars: 8_000,
  nameChars: 40,
  /** Options of one command; the chats allow as many. */
  options: 25,
  /** Characters that are shown of each option of a used command. */
  shownOptionChars: 600,
  historyMessages: 200,
  historyBytes: 2 * MIB,
  replayEvents: 500,
  replayBytes: 2 * MIB,
  /** More than a whole history, so that a newcomer's first event fits. */
  clientQueueBytes: 8 * MIB,
  clients: 200,
  members: 1_000,
  invocationsPerMember: 6,
  answerFilesBytes: 256 * MIB,
  answerFiles: 500,
  uploads: 50,
  uploadsAtOnce: 3,
  labels: 1_000,
  /** Lounge: how many past lines are translated for a newcomer, and how many at once. */
  catchUpLines: 20,
  linesAtOnce: 4,
  /** Lines that wait for their turn: of all, and of one member's before the next is refused. */
  linesWaiting: 200,
  linesPerMember: 10,
  languagesPerLine: 24,
} as const;

/** Bounds of recordings that are recognised while they are made. */
export const DICTATION_LIMITS = {
  /** Connections at the same time: each holds up to 15 s of audio. */
  sessions: 20,
  /** People whose last recording's text is kept until it is used. */
  recordings: 200,
  /** The longest; the recording goes on, and is recognised when it is sent. */
  longestMs: 15 * 60_000,
  idleMs: 30_000,
  messageBytes: 256 * KIB,
  /** Words that may wait for a browser that does not read. */
  waitingBytes: 256 * KIB,
  /** More than any recorder makes in real time: so much at once, and so much a second after that. */
  bytes: { most: 512 * KIB, perSecond: 64 * KIB },
  messages: { most: 100, perSecond: 40 },
  audioMs: { most: 15_000, perSecond: 1_100 },
} as const;

/** The page takes more; nobody reads more at once, and one answer leaves room for the files of others. */
export const CAPABILITIES: Capabilities = {
  choices: 25,
  controlRows: 10,
  rowButtons: 10,
  labelChars: 100,
  roles: false,
  fileBytes: 32 * MIB,
};

export const TIMES = {
  beatMs: 15_000,
  /** Time that work goes on after its asker's page has gone: reloads and dead spots are shorter. */
  graceMs: 30_000,
  /** The shortest time between two pictures of one growing answer. */
  answerPaceMs: 80,
  statusMs: 5_000,
  /** Longest wait for a choice of models, which may ask a registry. */
  modelsMs: 30_000,
} as const;
