import { actAs } from '../store/actor.ts';
import { realClock, sleep as sleepFor } from '../async/clock.ts';
import { ServiceError } from '../api/service-error.ts';
import type { Choice, Naming } from '../model/command-info.ts';
import {
  FOR_EVERYBODY,
  type Command,
  type CommandContext,
  type Press,
  type PressContext,
  type Spoken,
} from './command.ts';
import { toAppError, userError, type AppError, type ErrorCode } from '../errors.ts';
import { explain } from '../i18n/texts.ts';
import { readersLanguages } from '../autotranslate/rules.ts';
import type { Log } from '../telemetry/log.ts';
import { createMeter } from '../usage/meter.ts';
import { labelled, sections } from '../rich-text/compose.ts';
import type { Content, Message } from '../model/message.ts';
import { offers } from '../model/shown-control.ts';
import { isSamePerson, type Member, type Channel, type Person } from '../model/place.ts';
import { quote, text, type RichText } from '../rich-text/rich-text.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { CompletionRequest, Invocation, PressInvocation } from '../ports/platform.ts';
import type { Core } from '../adapter.ts';
import { type Platforms, createChannelAccess } from './platforms.ts';
import { parseMarkdown } from '../rich-text/markdown/parse.ts';
import type { Services } from './services.ts';
import { createCatalogue, type CatalogueDeps } from './catalogue.ts';
import { channelsIn, parseOptions } from './options.ts';
import { createAnswerUpdates, type AnswerUpdates } from './answer-updates.ts';

/** Choices that come later are shown to nobody: whoever types has typed on by then. */
const CHOICES_SHOWN_WITHIN_MS = 200;

export interface DispatcherDeps extends CatalogueDeps {
  readonly log: Log;
  /** See `createOptedOutOf`. */
  readonly optedOutOf: (message: Message) => Promise<readonly Person[]>;
  readonly platforms: Pick<Platforms, 'find' | 'get'>;
  readonly services: Services;
  /** The people who run Dragoman, as `platform:id`. */
  readonly operators: ReadonlySet<string>;
  /** Resolves after `ms`; rejects when it is no longer needed. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export type Dispatcher = Pick<
  Core,
  'commands' | 'elsewhere' | 'admits' | 'dispatch' | 'press' | 'complete'
>;

/** Prefix of the space in which the use of a person's own account is counted. */
const PERSONAL = 'person:';

const OPERATORS_CONCERN: ReadonlySet<ErrorCode> = new Set([
  'config',
  'unavailable',
  'missing',
  'rate-limited',
  'timeout',
  'bad-reply',
]);

/** Faults of ours and of the service are the operator's concern; what people typed is not. */
const logFault = (log: Log, command: string, error: AppError): void => {
  const fields = { command, code: error.code, reason: error.message };
  if (error.code === 'internal') log.error({ ...fields, err: error.cause }, 'command failed');
  else if (error instanceof ServiceError || OPERATORS_CONCERN.has(error.code))
    log.warn(fields, 'command not done: service or configuration');
  else log.debug(fields, 'command refused');
};

const namesIn =
  (feed: ChannelFeed, channel: Channel) =>
  async (tree: RichText, readers = channel): Promise<RichText> =>
    feed.named(readers, tree).catch(() => tree);

/** The context that commands and pressed controls share. */
type Basics = Omit<PressContext, 'arg' | 'values' | 'shown'>;

/** Throws where guards, or the roles that moderators gave the command, keep somebody out. */
const admit = async (
  { name }: Command,
  { guards = [], isForEverybody = false }: Pick<Press, 'guards' | 'isForEverybody'>,
  { services, member, channel }: Pick<Basics, 'services' | 'member' | 'channel'>,
  typed: (what: { command: string }) => string,
): Promise<void> => {
  for (const guard of guards) guard({ member, channel });
  if (isForEverybody || FOR_EVERYBODY.has(name) || member.role === 'moderator') return;
  const { roles } = await services.spaces.of(channel.space);
  const allowed = roles[name] ?? [];
  if (allowed.length > 0 && !member.roles?.some((role) => allowed.includes(role)))
    throw userError('forbidden', 'errors.needs-role', { command: typed({ command: name }) });
};

export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { texts, log, platforms } = deps;
  const sleep = deps.sleep ?? ((ms, signal) => sleepFor(realClock, ms, signal));
  const catalogue = createCatalogue(deps);
  const namingOf = ({ platform }: Member): Naming => platforms.find(platform)?.naming ?? 'plain';
  const explainTo = (member: Member, error: AppError): RichText =>
    explain(texts.rich(member.locale, namingOf(member)), error, member);
  const known = <Of extends Invocation | PressInvocation>(given: Of): Of => {
    const { platform, id } = given.member;
    if (!deps.operators.has(`${platform}:${id}`)) return given;
    return { ...given, member: { ...given.member, isOperator: true } };
  };
  const typedBy =
    (member: Member) =>
    (what: { command: string }): string =>
      texts.typed(what, member.locale, namingOf(member));

  /** Does one piece of work for somebody, with the services metered. */
  const serve = async (
    { id, member, channel, answer, isGuest = false }: Invocation | PressInvocation,
    updates: AnswerUpdates,
    work: (basics: Basics) => Promise<void>,
  ): Promise<void> => {
    const usedIn = isGuest
      ? { platform: channel.space.platform, id: `${PERSONAL}${member.id}` }
      : channel.space;
    const meter = createMeter(deps.services, { space: usedIn, memberId: member.id });
    const speaking = (tags: readonly string[]): Spoken => {
      const locale = texts.pick(tags);
      const naming = namingOf(member);
      return { locale, t: texts.rich(locale, naming), label: texts.in(locale, naming) };
    };
    const spoken = speaking([member.locale]);
    const { locale } = spoken;
    // Where a channel reads a language without sentences, it is told in English.
    const forReaders = async (of = channel): Promise<Spoken> => {
      const { watches, spaces } = deps.services;
      if (watches.isTalk(of)) return spoken;
      const tags = [...readersLanguages(watches.of(of), await spaces.of(of.space))];
      if (member.spaceLocale) tags.push(member.spaceLocale);
      return tags.length > 0 ? speaking(tags) : spoken;
    };
    const here = platforms.get(channel.space.platform);
    const { name: platform, capabilities } = here;
    try {
      const basics: Basics = {
        member,
        channel,
        isGuest,
        usedIn,
        services: meter.services,
        access: createChannelAccess(here, member),
        groups: here.groups && (async () => here.groups?.(channel.space) ?? []),
        named: here.feed && namesIn(here.feed, channel),
        ...spoken,
        forReaders,
        signal: updates.signal,
        reply: updates.show,
        replyBelow: updates.showBelow,
        capabilities: {
          ...capabilities,
          fileBytes: answer.fileBytes ?? capabilities.fileBytes,
        },
        commands: () => catalogue.list(locale, platform),
      };
      await actAs({ ...member, space: channel.space }, () => work(basics));
    } finally {
      await meter.settle().catch((failure: unknown) => {
        log.error({ err: failure, id }, 'usage of a command not recorded');
      });
    }
  };

  const faultOf = (command: string, { signal }: Invocation | PressInvocation, thrown: unknown) => {
    const error = toAppError(
      signal.aborted ? new DOMException('the asker is gone', 'AbortError') : thrown,
    );
    logFault(log, command, error);
    return error;
  };

  const showLast = async (
    command: string,
    { answer }: Invocation | PressInvocation,
    content: Content,
    how: 'show' | 'showAside' = 'show',
  ): Promise<void> => {
    await answer[how]?.(content).catch((failure: unknown) => {
      log.warn({ err: failure, command }, 'answer not shown');
    });
  };

  const run = async (invocation: Invocation, updates: AnswerUpdates): Promise<void> => {
    const { member, channel, on, readText = parseMarkdown } = invocation;
    const name = invocation.command;
    const { command, action, info } = catalogue.find(name, channel.space.platform, member.locale);
    await serve(invocation, updates, async (basics) => {
      await admit(command, action, basics, typedBy(member));
      const out = on && !action.needsNoWords ? await deps.optedOutOf(on) : [];
      if (out.some((author) => !isSamePerson(author, member)))
        throw userError('forbidden', 'errors.author-opted-out');
      const given = on ? action.onMessage?.(on) : invocation.options;
      if (!given) throw userError('unsupported', 'errors.not-on-messages');
      const typedIn = { space: channel.space, readText };
      const options = parseOptions(given, info.options, action.options, typedIn);
      await basics.access.demand(channelsIn(options, info.options), 'see');
      const ctx: CommandContext<never> = {
        ...basics,
        ...(on ? { on } : {}),
        earlier: invocation.earlier ?? [],
        options: options as never,
        stream: updates.stream,
      };
      await action.run(ctx);
    });
  };

  return {
    commands: (locale, platform) => catalogue.list(locale, platform),
    elsewhere: (platform) => catalogue.elsewhere(platform),

    async admits({ member, channel, ...asked }) {
      const { platform } = channel.space;
      try {
        const { command, ...found } =
          'press' in asked
            ? catalogue.findPress(asked.press, platform)
            : catalogue.find(asked.command, platform, member.locale);
        const by = { services: deps.services, member, channel };
        await admit(command, 'press' in found ? found.press : found.action, by, typedBy(member));
        return true;
      } catch {
        return false;
      }
    },

    async dispatch(given) {
      const invocation = known(given);
      const updates = createAnswerUpdates(invocation);
      try {
        await run(invocation, updates);
        await updates.finish();
      } catch (thrown) {
        const error = faultOf(invocation.command, invocation, thrown);
        const reason = explainTo(invocation.member, error);
        if (await invocation.answer.refuse?.(reason)) return;
        const tone = error.code === 'cancelled' ? 'note' : 'error';
        const shown = updates.newest();
        await showLast(invocation.command, invocation, {
          ...shown,
          // What was there already stays: half an answer is worth more than none.
          text: sections(shown?.text, reason),
          tone,
        });
      }
    },

    async press(given) {
      const invocation = known(given);
      const { member, channel, values, control } = invocation;
      const updates = createAnswerUpdates(invocation);
      /** The panel as it was, for a press that could not be done. */
      let panel: (() => Promise<Content | undefined>) | undefined;
      try {
        const { command, press, arg } = catalogue.findPress(
          invocation.press,
          channel.space.platform,
        );
        const isOffered = offers(control, values);
        if (!isOffered && !press.over) throw userError('not-found', 'errors.unknown-press');
        await serve(invocation, updates, async (basics) => {
          const ctx: PressContext = { ...basics, arg, values, shown: control?.chosen };
          for (const guard of press.guards ?? []) guard(ctx);
          // What a guard keeps is drawn for those alone whom it lets in.
          if (isOffered) panel = async () => press.panel?.(ctx);
          await admit(command, { ...press, guards: [] }, basics, typedBy(member));
          await (isOffered ? press.run(ctx) : press.over?.(ctx));
        });
        await updates.finish();
      } catch (thrown) {
        const error = faultOf(invocation.press, invocation, thrown);
        const reason = explainTo(member, error);
        if (await invocation.answer.refuse?.(reason)) return;
        const again = updates.newest() ?? (await panel?.().catch(() => undefined));
        await showLast(
          invocation.press,
          invocation,
          again
            ? { ...again, text: sections(again.text, [quote(...labelled([text('⚠️')], reason))]) }
            : { text: reason, tone: 'error' },
          // Others may still press what is there.
          again || !invocation.answer.showAside ? 'show' : 'showAside',
        );
      }
    },

    async complete({ command, option, typed, member, space }: CompletionRequest) {
      const done = new AbortController();
      const lookUp = async (): Promise<readonly Choice[]> => {
        const { choices: most } = platforms.get(space.platform).capabilities;
        const { action } = catalogue.find(command, space.platform, member.locale);
        const { locale } = member;
        const ctx = {
          services: deps.services,
          member,
          space,
          locale,
          most,
          commands: () => catalogue.list(locale, space.platform),
        };
        return ((await action.complete?.[option]?.(typed, ctx)) ?? []).slice(0, most);
      };
      // One that comes too late still fills the caches that it asked.
      const late = sleep(CHOICES_SHOWN_WITHIN_MS, done.signal).then(() => []);
      late.catch(() => undefined);
      try {
        return await Promise.race([lookUp(), late]);
      } catch (thrown) {
        logFault(log, command, toAppError(thrown));
        return [];
      } finally {
        done.abort();
      }
    },
  };
};
