import { randomUUID } from 'node:crypto';
import { isPrivatePress, type CommandInfo } from '../../src/model/command-info.ts';
import { toAppError, userError } from '../../src/errors.ts';
import { explain } from '../../src/i18n/texts.ts';
import type { Answer } from '../../src/ports/platform.ts';
import type { Core } from '../../src/adapter.ts';
import type { ChannelLog, LogEntry } from './channel-log.ts';
import { WEB_LIMITS, TIMES } from './limits.ts';
import { toHtml } from './html.ts';
import { PLATFORM, type Profile } from './profiles.ts';
import { pageChannel, OURSELVES, type Render } from './platform.ts';
import type { ChannelId, PageCommandUse, Pressed } from './protocol.ts';
import { realClock, sleep } from '../../src/async/clock.ts';
import type { Content } from '../../src/model/message.ts';
import { offers, shownControl } from '../../src/model/shown-control.ts';

/** Each step costs every page the whole text so far: long texts grow in longer steps. */
const PACE_CHARS_PER_MS = 200;
const LONGEST_STEP_MS = 1_000;

const stepMs = (chars: number): number =>
  Math.min(LONGEST_STEP_MS, Math.max(TIMES.answerPaceMs, chars / PACE_CHARS_PER_MS));

/** Waits; ends early, without an error, when `signal` is aborted. */
type Rest = (ms: number, signal: AbortSignal) => Promise<void>;

const restFor: Rest = (ms, signal) => sleep(realClock, ms, signal).catch(() => undefined);

/** Draws what is shown onto one message of the channelLog, at a pace that pages take well. */
export const createGrowingMessage = (
  channelLog: ChannelLog,
  render: Render,
  id: string,
  rest: Rest = restFor,
) => {
  const finished = new AbortController();
  let latest: Content | undefined;
  let drawing: Promise<void> | undefined;
  let fault: unknown;

  const draw = async (): Promise<void> => {
    try {
      while (latest) {
        const content = latest;
        latest = undefined;
        const shown = await render(content);
        channelLog.change(id, shown);
        await rest(stepMs(shown.html.length), finished.signal);
      }
    } catch (error) {
      fault = error;
    }
    drawing = undefined;
  };

  return {
    /** Settles at once: what comes faster than pages take it is passed over. */
    show: async (content: Content): Promise<void> => {
      latest = content;
      drawing ??= draw();
    },
    /** Shows the last that came and that nothing follows; rejects when something could not be shown. */
    finish: async (): Promise<void> => {
      finished.abort();
      await drawing;
      channelLog.change(id, { working: false });
      if (fault !== undefined) throw fault;
    },
  };
};

interface Use {
  readonly command: CommandInfo;
  readonly options: Readonly<Record<string, unknown>>;
  /** The use as the others see it. */
  readonly shown: PageCommandUse;
  readonly channel: ChannelId;
}

interface Running {
  readonly memberId: string;
  readonly isPress: boolean;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export type Invocations = ReturnType<typeof createInvocations>;

export const createInvocations = (core: Core, channelLog: ChannelLog, render: Render) => {
  const running = new Map<string, Running>();

  const perform = async (
    member: Profile,
    answerId: string,
    work: (answer: Answer) => Promise<void>,
  ): Promise<void> => {
    const answer = createGrowingMessage(channelLog, render, answerId);
    try {
      await work({ show: answer.show, paceMs: TIMES.answerPaceMs });
      await answer.finish();
    } catch (thrown) {
      const error = toAppError(thrown);
      core.log.error({ err: error }, 'answer not shown');
      const text = explain(core.texts.rich(member.locale), error, member);
      channelLog.change(answerId, { html: toHtml(text), tone: 'error', working: false });
    } finally {
      running.delete(answerId);
    }
  };

  /** Adds a message beside another one, for one member alone. */
  const addBeside = (
    { message: { id, channel } }: LogEntry,
    member: Profile,
    shown?: Awaited<ReturnType<Render>>,
  ): string =>
    channelLog.add({
      channel,
      author: OURSELVES,
      html: '',
      tone: 'plain',
      files: [],
      ...shown,
      working: shown === undefined,
      replyTo: id,
      onlyFor: member.id,
    }).message.id;

  /** Opens the message that shows what a press does: the one that it stands under, or a new one beside. */
  const openFor = (
    entry: LogEntry,
    press: string,
    member: Profile,
  ): { readonly id: string; readonly beside?: Pick<Answer, 'showAside'> } => {
    const { id } = entry.message;
    const isForOne = entry.onlyFor !== undefined;
    if (!isForOne && isPrivatePress(core.commands(member.locale, PLATFORM), press, member.role))
      return { id: addBeside(entry, member) };
    channelLog.change(id, { working: true });
    if (isForOne) return { id };
    const showAside = async (content: Content): Promise<void> =>
      void addBeside(entry, member, await render(content));
    return { id, beside: { showAside } };
  };

  const admit = ({ id }: Profile): void => {
    const own = [...running.values()].filter(({ memberId }) => memberId === id);
    if (own.length >= WEB_LIMITS.invocationsPerMember)
      throw userError('rate-limited', 'web.errors.too-many-at-once');
  };

  const start = (
    member: Profile,
    answerId: string,
    isPress: boolean,
    work: (answer: Answer, signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    const abort = new AbortController();
    const done = perform(member, answerId, (answer) => work(answer, abort.signal));
    running.set(answerId, { memberId: member.id, isPress, abort, done });
    return done;
  };

  return {
    /** Shows the use and runs the command; settles when its answer stands. */
    run: (member: Profile, use: Use): { readonly id: string; readonly done: Promise<void> } => {
      admit(member);
      const onlyFor = use.command.private ? { onlyFor: member.id } : {};
      const common = {
        channel: use.channel,
        html: '',
        tone: 'plain',
        files: [],
        ...onlyFor,
      } as const;
      const author = { id: member.id, name: member.name, ours: false };
      const asked = channelLog.add({ ...common, author, use: use.shown, working: false });
      const answer = channelLog.add({
        ...common,
        author: OURSELVES,
        owner: member.id,
        replyTo: asked.message.id,
        working: true,
      });
      const id = answer.message.id;
      const done = start(member, id, false, (shown, signal) =>
        core.dispatch({
          id: randomUUID(),
          command: use.command.name,
          options: use.options,
          member,
          channel: pageChannel(use.channel),
          signal,
          answer: shown,
        }),
      );
      return { id, done };
    },
    /** Does what a control says; settles when the answer stands anew. Throws where there is no such. */
    press: (member: Profile, { id, press, values }: Pressed): { readonly done: Promise<void> } => {
      const entry = channelLog.find(id);
      const controls = entry && channelLog.sees(entry, member.id) ? entry.message.controls : [];
      const shown = controls?.find((each) => each.press === press);
      const control = shown && shownControl(shown);
      if (!entry || !offers(control, values)) throw userError('not-found', 'errors.unknown-press');
      if (running.has(id)) throw userError('rate-limited', 'web.errors.pressed-already');
      admit(member);
      const channel = pageChannel(entry.message.channel);
      const { id: answerId, beside } = openFor(entry, press, member);
      const done = start(member, answerId, true, (answer, signal) =>
        core.press({
          id: randomUUID(),
          press,
          values,
          control,
          member,
          channel,
          signal,
          answer: { ...answer, ...beside },
        }),
      );
      return { done };
    },
    /** Takes a member's own use back, by the message that answers it. */
    stop: (answerId: string, memberId: string): boolean => {
      const found = running.get(answerId);
      if (found?.memberId !== memberId) return false;
      found.abort.abort();
      return true;
    },
    abandon: (memberId: string): void => {
      for (const each of running.values()) if (each.memberId === memberId) each.abort.abort();
    },
    /** Stops a member's work but for presses that change private answers, and returns their ids. */
    abandonFor: (memberId: string): ReadonlySet<string> => {
      const answering = new Set<string>();
      for (const [id, each] of running) {
        if (each.memberId !== memberId) continue;
        if (each.isPress && channelLog.find(id)?.onlyFor === memberId) answering.add(id);
        else each.abort.abort();
      }
      return answering;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { abort } of running.values()) abort.abort();
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
};
