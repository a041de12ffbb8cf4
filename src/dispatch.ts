import {
  quote,
  userError,
  type Choice,
  type Command,
  type CommandContext,
  type CommandInfo,
} from './command.ts';
import { ServiceError } from './api/service-error.ts';
import { actionsOf, describeAction, type NamedAction } from './describe.ts';
import { toAppError, type AppError, type ErrorCode } from './errors.ts';
import { showGrowing } from './growing-answer.ts';
import { say, type Texts } from './i18n.ts';
import type { Log } from './log.ts';
import type { Content } from './model.ts';
import { parseOptions } from './options.ts';
import type { CompletionRequest, Core, Invocation } from './platform.ts';
import type { Services } from './services.ts';

/** Discord's limit, and more than anybody reads. */
const CHOICES = 25;

export interface DispatcherParts {
  readonly commands: readonly Command[];
  readonly texts: Texts;
  readonly log: Log;
  /** Given later, because services describe the commands in turn. */
  readonly services: () => Services;
}

export type Dispatcher = Pick<Core, 'commands' | 'dispatch' | 'complete'>;

const OPERATORS_CONCERN: ReadonlySet<ErrorCode> = new Set([
  'config',
  'unavailable',
  'rate-limited',
  'timeout',
  'bad-reply',
]);

/** Faults of ours and of the service are the operator's concern; what people typed is not. */
const logFault = (log: Log, command: string, error: AppError): void => {
  const fields = { command, code: error.code, reason: error.message };
  if (error.code === 'internal') log.error({ ...fields, err: error.cause }, 'a command failed');
  else if (error instanceof ServiceError || OPERATORS_CONCERN.has(error.code))
    log.warn(fields, 'a command could not be done');
  else log.debug(fields, 'a command was refused');
};

export const createDispatcher = ({
  commands,
  texts,
  log,
  services,
}: DispatcherParts): Dispatcher => {
  const actions = new Map<string, NamedAction>(
    commands.flatMap(actionsOf).map((named) => [named.name, named]),
  );
  const descriptions = new Map<string, readonly CommandInfo[]>();

  const describe = (locale: string): readonly CommandInfo[] => {
    const picked = texts.pick([locale]);
    const known =
      descriptions.get(picked) ??
      [...actions.values()]
        .map((named) => describeAction(named, texts, picked))
        .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
    descriptions.set(picked, known);
    return known;
  };
  // At once, so that a missing description is told at the start.
  describe('en');

  const run = async (invocation: Invocation, show: (content: Content) => Promise<void>) => {
    const { member, channel, signal, answer } = invocation;
    const named = actions.get(invocation.command);
    const info = describe(member.locale).find(({ name }) => name === invocation.command);
    if (!named || !info)
      throw userError('not-found', 'errors.unknown-command', {
        command: quote(`/${invocation.command}`),
      });
    for (const guard of named.action.guards ?? []) guard({ member, channel });
    const ctx: CommandContext<never> = {
      options: parseOptions(invocation.options, info.options, named.action.options) as never,
      member,
      channel,
      services: services(),
      locale: texts.pick([member.locale]),
      t: texts.in(member.locale),
      signal,
      reply: show,
      stream: async (states, as = (text) => text) =>
        showGrowing(states, async (text) => show({ text: as(text) }), { paceMs: answer.paceMs }),
    };
    await named.action.run(ctx);
  };

  return {
    commands: describe,

    async dispatch(invocation) {
      let shown: Content | undefined;
      // An answer that can no longer be shown ends the work for it.
      const unseen = new AbortController();
      const signal = AbortSignal.any([invocation.signal, unseen.signal]);
      const show = async (content: Content): Promise<void> => {
        signal.throwIfAborted();
        if (isSame(shown, content)) return;
        try {
          await invocation.answer.show(content);
        } catch (thrown) {
          unseen.abort();
          throw thrown;
        }
        shown = content;
      };
      try {
        await run({ ...invocation, signal }, show);
      } catch (thrown) {
        const error = invocation.signal.aborted ? toAppError(abortion()) : toAppError(thrown);
        logFault(log, invocation.command, error);
        const sentence = say(texts.in(invocation.member.locale), error.sentence);
        const tone = error.code === 'cancelled' ? 'note' : 'error';
        // What was there already stays: half an answer is worth more than none.
        const text = shown ? `${shown.text}\n\n${sentence}` : sentence;
        await invocation.answer.show({ ...shown, text, tone }).catch((failure: unknown) => {
          log.warn({ err: failure, command: invocation.command }, 'an answer could not be shown');
        });
      }
    },

    async complete({ command, option, typed, member, space }: CompletionRequest) {
      const lookUp = actions.get(command)?.action.complete?.[option];
      if (!lookUp) return [];
      try {
        const ctx = { services: services(), member, space, locale: member.locale };
        const choices: readonly Choice[] = await lookUp(typed, ctx);
        return choices.slice(0, CHOICES);
      } catch (thrown) {
        logFault(log, command, toAppError(thrown));
        return [];
      }
    },
  };
};

const isSame = (shown: Content | undefined, content: Content): boolean =>
  shown?.text === content.text && shown.tone === content.tone && !shown.files && !content.files;

const abortion = (): Error => new DOMException('the asker is gone', 'AbortError');
