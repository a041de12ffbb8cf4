import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { AppError } from '../../src/errors.ts';
import { say } from '../../src/i18n/texts.ts';
import type { Attachment, OutgoingFile, Content } from '../../src/model/message.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import type { Core } from '../../src/adapter.ts';
import type { Invocation, PressInvocation } from '../../src/ports/platform.ts';
import type { LineTranslation } from '../../src/translation/fan-out.ts';
import type { ChannelFeedListener } from '../../src/ports/channel-feed.ts';
import { createCoreServices, PNG, type ServiceFaults } from './core-services.ts';
import { keepNoAnswers, openFakeDeliveries } from './deliveries.ts';
import { createLoneProcess } from './processes.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { createOpsPages } from '../../src/ops/pages.ts';
import { createFakeDictations, type FakeDictations } from './dictation.ts';
import { FAKE_COMMANDS } from './fake-commands.ts';
import { rich } from './rich-text.ts';
import { toneWav } from './tone.ts';
import { realTexts as texts } from './texts.ts';

/** The speech of `/say`, longer than any test waits to see it play. */
export const SPEECH = toneWav(45);

export interface FakeCore extends Core {
  readonly invocations: readonly Invocation[];
  readonly presses: readonly PressInvocation[];
  /** The presses that are refused, aside where the adapter can. */
  readonly refused: Set<string>;
  /** What was asked of `translateLine`. */
  readonly lines: readonly { readonly text: string; readonly languages: readonly string[] }[];
  readonly dictations: FakeDictations;
  /** Lets every stream that waits take its next step, or the next one that comes to wait. */
  step(): void;
  /** What `status` says next. */
  setReachable(reachable: boolean): void;
  /** Has the service refuse its key. */
  setRefusal(refusal: AppError | undefined): void;
  setStorageFault(fault: AppError | undefined): void;
  /** What `ready` says next. */
  setReady(ready: Readonly<Record<string, boolean>>): void;
}

/** A watcher of nothing. */
export const WATCHER: ChannelFeedListener = {
  follows: () => false,
  spaceOf: ({ space }) => space,
  messageChanged: async () => undefined,
  pinChanged: async () => undefined,
  threadChanged: async () => undefined,
  messagesDeleted: async () => undefined,
  reactionChanged: async () => undefined,
  memberBanned: async () => undefined,
  memberUnbanned: async () => undefined,
  messagesMissed: () => undefined,
  readMissed: async () => true,
  connected: () => undefined,
  accessChanged: async () => undefined,
  channelDeleted: async () => undefined,
  ageRestrictionChanged: async () => undefined,
  spaceRenamed: async () => undefined,
  spaceJoined: async () => undefined,
  spaceLeft: async () => undefined,
};

/** A panel with a control of each kind; what was pressed stands in its text. */
const panelOf = (pressed: string): Content => ({
  text: rich(`**Panel** ${pressed}`),
  controls: [
    { kind: 'button', press: 'panel go', label: 'Go', look: 'primary' },
    { kind: 'button', press: 'panel drop', label: 'Drop', look: 'danger' },
    ...(pressed === 'left'
      ? []
      : [{ kind: 'button', press: 'panel leave', label: 'Leave' } as const]),
    {
      kind: 'choice',
      press: 'panel colour',
      label: 'Colour',
      choices: ['red', 'green'].map((value) => ({
        value,
        label: value,
        chosen: value === pressed,
      })),
    },
    {
      kind: 'choice',
      press: 'panel sizes',
      label: 'Sizes',
      most: 2,
      choices: ['small', 'large'].map((value) => ({ value, label: value })),
    },
    { kind: 'roles', press: 'panel roles', label: 'Roles', chosen: [] },
  ],
});

const readAll = async (attachment: Attachment): Promise<number> => {
  let bytes = 0;
  for await (const chunk of attachment.open()) bytes += chunk.byteLength;
  return bytes;
};

/** A core whose commands answer in set ways, and whose streams go on when the test says so. */
export const createFakeCore = (metricsToken?: string): FakeCore => {
  const log = pino({ level: 'silent' });
  const invocations: Invocation[] = [];
  const presses: PressInvocation[] = [];
  const refused = new Set<string>();
  const lines: { text: string; languages: readonly string[] }[] = [];
  const waiting: (() => void)[] = [];
  const dictations = createFakeDictations();
  const metrics = createMetrics();
  metrics.counter({ name: 'calls_total', help: 'Calls.' })(7);
  let saved = 0;
  const faults: ServiceFaults = { reachable: true, refusal: undefined, storage: undefined };
  const services = createCoreServices(faults);
  let platforms: Readonly<Record<string, boolean>> = { web: true };

  const step = (): void => {
    const all = waiting.splice(0);
    if (all.length === 0) saved += 1;
    for (const go of all) go();
  };
  const pause = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (saved > 0) {
      saved -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };

  const answers: Readonly<Record<string, (invocation: Invocation) => Promise<void>>> = {
    translate: async ({ options, answer }) =>
      answer.show({ text: rich(`**${String(options['to'])}**: ${String(options['text'])}`) }),
    say: async ({ options, answer }) => {
      const wav: OutgoingFile = { name: 'speech.wav', mediaType: 'audio/wav', bytes: SPEECH };
      await answer.show({ text: rich(String(options['text'])), files: [wav] });
    },
    transcribe: async ({ options, answer }) => {
      const audio = options['audio'] as Attachment;
      const dictated = await audio.dictated?.();
      if (dictated) return answer.show({ text: rich(`dictated: ${dictated.text}`) });
      const bytes = await readAll(audio);
      await answer.show({ text: rich(`${audio.name} ${audio.mediaType}: ${bytes} bytes`) });
    },
    ask: async ({ answer, signal }) => {
      await answer.show({ text: rich('One') });
      await pause(signal);
      await answer.show({ text: rich('One two') });
      await pause(signal);
      await answer.show({ text: rich('One two **three**') });
    },
    wait: async ({ answer, signal }) => {
      await answer.show({ text: rich('Working') });
      await delay(60_000, undefined, { signal, ref: false });
    },
    fail: async () => {
      throw new AppError('unavailable', 'the fake fails');
    },
    secret: async ({ answer }) => answer.show({ text: rich('For you alone') }),
    panel: async ({ answer }) => answer.show(panelOf('unpressed')),
    own: async ({ answer }) => answer.show(panelOf('unpressed')),
    notice: async ({ answer }) =>
      answer.show({
        text: rich('For everybody'),
        controls: [{ kind: 'button', press: 'notice choose:me', label: 'Choose' }],
      }),
    picture: async ({ answer }) =>
      answer.show({
        text: rich('Look'),
        files: [{ name: 'a.png', mediaType: 'image/png', bytes: PNG }],
      }),
    language: async ({ member, options, answer }) => {
      await services.settings.change(member, { language: String(options['language']) });
      await answer.show({ text: rich('Set'), tone: 'note' });
    },
  };

  return {
    log,
    receives: true,
    texts,
    services,
    feedListener: WATCHER,
    rooms: {
      spaceReady: async () => true,
      spaceMoves: async () => undefined,
      spaceLost: () => undefined,
      peopleChanged: () => undefined,
      reads: () => false,
      wrote: () => undefined,
    },
    invocations,
    presses,
    refused,
    lines,
    dictations,
    openDictation: async (request) => dictations.open(request),
    step,
    setReachable: (next) => (faults.reachable = next),
    setRefusal: (next) => (faults.refusal = next),
    setStorageFault: (next) => (faults.storage = next),
    openDeliveries: openFakeDeliveries,
    keepOpenAnswers: keepNoAnswers,
    processes: createLoneProcess(),
    ready: () => platforms,
    metrics,
    ops: createOpsPages({
      metrics,
      metricsToken,
      isStalled: () => false,
      readiness: async () => {
        const parts = {
          ...platforms,
          service: faults.reachable && !faults.refusal,
          storage: !faults.storage,
        };
        const ready = Object.values(parts).every(Boolean);
        return { ready, starting: false, draining: false, parts };
      },
    }),
    setReady: (next) => (platforms = next),
    commands: () => FAKE_COMMANDS,
    elsewhere: () => ['catchup'],
    admits: async () => true,
    dispatch: async (invocation) => {
      invocations.push(invocation);
      try {
        await answers[invocation.command]?.(invocation);
      } catch (error) {
        const code = invocation.signal.aborted ? 'cancelled' : (error as AppError).code;
        const text = say(texts.rich(invocation.member.locale), { key: `errors.${code}` });
        await invocation.answer.show({ text, tone: 'error' });
      }
    },
    press: async (invocation) => {
      presses.push(invocation);
      const { press, values, answer, signal } = invocation;
      if (press.startsWith('notice choose')) {
        const again = { kind: 'button', press: 'notice choose:again', label: 'Again' } as const;
        await answer.show({ text: rich(press), controls: [again] });
        return;
      }
      if (refused.has(press)) return answer.showAside?.({ text: rich('not you'), tone: 'error' });
      if (press === 'panel drop') await pause(signal).catch(() => undefined);
      const left = press === 'panel leave' ? 'left' : press;
      await answer.show(panelOf(values.join(' ') || left));
    },
    complete: async ({ typed }) =>
      services.languages
        .search(typed, 'en')
        .map(({ code, name }) => ({ value: code, label: name })),
    translateLine: async function* (line, languages, signal) {
      const text = plainText(line.text);
      lines.push({ text, languages });
      const wanted = languages.filter((language) => !text.startsWith(`${language}:`));
      for (const language of wanted) {
        const growing = { language, done: false, text: rich(`${language}: ${text.slice(0, 3)}`) };
        yield growing satisfies LineTranslation;
      }
      if (text.includes('slowly')) await pause(signal).catch(() => undefined);
      for (const language of wanted) {
        yield language === 'fr'
          ? { language, done: true, text: [], error: new AppError('unavailable', 'no French') }
          : { language, done: true, text: rich(`${language}: ${text}`) };
      }
    },
  };
};
