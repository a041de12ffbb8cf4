import { randomUUID } from 'node:crypto';
import type { CommandInfo } from '../../src/command.ts';
import { AppError, toAppError } from '../../src/errors.ts';
import { say } from '../../src/i18n.ts';
import type { Core } from '../../src/platform.ts';
import type { Board } from './board.ts';
import { createGrowingMessage } from './growing-message.ts';
import { LIMITS, TIMES } from './limits.ts';
import { toHtml } from './markdown.ts';
import type { Profile } from './members.ts';
import { channelOf, OURSELVES, type Render } from './platform.ts';
import type { ChannelId, WireUse } from './wire.ts';

interface Use {
  readonly command: CommandInfo;
  readonly options: Readonly<Record<string, unknown>>;
  /** As it is shown to the others. */
  readonly shown: WireUse;
  readonly channel: ChannelId;
}

export interface Invocations extends AsyncDisposable {
  /** Shows the use and runs the command; settles when its answer stands. */
  run(member: Profile, use: Use): { readonly id: string; readonly done: Promise<void> };
  /** Takes a member's own use back, by the message that answers it. */
  readonly stop: (answerId: string, memberId: string) => boolean;
  /** Takes back all that a member asked for. */
  abandon(memberId: string): void;
}

interface Running {
  readonly memberId: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export const createInvocations = (core: Core, board: Board, render: Render): Invocations => {
  const running = new Map<string, Running>();

  const start = async (
    member: Profile,
    { command, options, channel }: Use,
    answerId: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const answer = createGrowingMessage(board, render, answerId);
    try {
      await core.dispatch({
        id: randomUUID(),
        command: command.name,
        options,
        member,
        channel: channelOf(channel),
        signal,
        answer: { show: answer.show, paceMs: TIMES.answerPaceMs },
      });
      await answer.finish();
    } catch (thrown) {
      const error = toAppError(thrown);
      core.log.error({ err: error, command: command.name }, 'an answer could not be shown');
      const text = say(core.texts.in(member.locale), error.sentence);
      board.change(answerId, { html: toHtml(text), tone: 'error', working: false });
    } finally {
      running.delete(answerId);
    }
  };

  return {
    run: (member, use) => {
      const own = [...running.values()].filter(({ memberId }) => memberId === member.id);
      if (own.length >= LIMITS.invocationsPerMember)
        throw new AppError('rate-limited', 'too many commands at once', {
          sentence: { key: 'web.errors.too-many-at-once' },
        });
      const onlyFor = use.command.private ? { onlyFor: member.id } : {};
      const common = {
        channel: use.channel,
        html: '',
        tone: 'plain',
        files: [],
        ...onlyFor,
      } as const;
      const author = { id: member.id, name: member.name, ours: false };
      const asked = board.add({ ...common, author, use: use.shown, working: false });
      const answer = board.add({
        ...common,
        author: OURSELVES,
        replyTo: asked.message.id,
        working: true,
      });
      const id = answer.message.id;
      const abort = new AbortController();
      const done = start(member, use, id, abort.signal);
      running.set(id, { memberId: member.id, abort, done });
      return { id, done };
    },
    stop: (answerId, memberId) => {
      const found = running.get(answerId);
      if (found?.memberId !== memberId) return false;
      found.abort.abort();
      return true;
    },
    abandon: (memberId) => {
      for (const each of running.values()) if (each.memberId === memberId) each.abort.abort();
    },
    [Symbol.asyncDispose]: async () => {
      for (const { abort } of running.values()) abort.abort();
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
};
