import { faultFields } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Content } from '../../model/message.ts';
import { channelMention, isSameChannel, type Channel, type Posted } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { lines, sentence } from '../../rich-text/compose.ts';
import { timestamp } from '../../rich-text/rich-text.ts';
import type { WhileHeld } from '../../ports/processes.ts';
import type { StoredRequest } from '../../store/channels/link-requests.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Languages } from '../../text/language/languages.ts';
import { replacedText, setupMark } from '../replaced.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { nameElsewhere, personElsewhere } from './names.ts';
import { isWatchOf } from './partings.ts';
import type { createLinkedServerNames } from './server-names.ts';

const SECOND_MS = 1_000;

export interface LinkQuestionsDeps {
  readonly own: Pick<WatchStore, 'list'>;
  readonly platforms: Pick<WatchedPlatforms, 'find' | 'send' | 'edit'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly texts: Pick<Texts, 'rich' | 'in'>;
  readonly languages: Pick<Languages, 'name'>;
  readonly log: Pick<Log, 'warn'>;
  /** Lists the channels that are linked with a channel, itself included; none where it is alone. */
  readonly groupOf: (channel: Channel) => readonly ChannelWatch[];
  readonly lookalike: ReturnType<typeof createLinkedServerNames>['lookalike'];
}

/** Creates the questions by which the side that made a code is asked for a link. */
export const createLinkQuestions = (deps: LinkQuestionsDeps) => {
  const { own, platforms, texts, groupOf } = deps;

  /** The language of a question: that of its channel, or of its moderators. */
  const languageIn = async (channel: Channel, { invited }: StoredRequest): Promise<string> => {
    if (isSameChannel(channel, invited.channel)) return invited.languages[0] ?? 'en';
    return (await deps.spaces.of(channel.space)).moderators?.locale ?? 'en';
  };

  /**
   * The question for its channel, or for that of its moderators.
   *
   * @param changed what is set for the channel now, where that changed since the question was put
   */
  const contentOf = async (
    request: StoredRequest,
    asked: Channel,
    changed?: readonly [ChannelWatch | undefined],
  ): Promise<Content> => {
    const { id, invited, joining, askedBy, expiresMs } = request;
    const language = await languageIn(asked, request);
    const [label, t] = [texts.in(language), texts.rich(language)];
    const isOwn = isSameChannel(asked, invited.channel);
    // Not what a thread has of the channel above it.
    const [before] = changed ?? own.list(invited.channel.space).filter(isWatchOf(invited.channel));
    const about = { channel: channelMention(invited.channel) };
    const other = await deps.lookalike(joining.channel.space, invited.channel.space);
    return {
      text: lines(
        changed && t('autotranslate.panel-changed', about),
        changed && !before && t('autotranslate.not-on', about),
        t(isOwn ? 'autotranslate.link-question' : 'moderators.link-asked', {
          ...about,
          name:
            askedBy === undefined
              ? '–'
              : await personElsewhere(askedBy, joining.channel.space, platforms),
          channels: await nameElsewhere(joining.channel, platforms),
          others: Math.max(0, groupOf(invited.channel).length - 1),
          until: timestamp(Math.floor(expiresMs / SECOND_MS), 'f'),
        }),
        before !== undefined &&
          before.mode !== 'mirror' &&
          sentence(
            '⚠️ ',
            replacedText(before, deps.languages, t, language, 'autotranslate.link-replaces'),
          ),
        other !== undefined && t('links.lookalike', { other }),
      ),
      controls: [
        {
          kind: 'button',
          press: `autotranslate link:${id}/${setupMark(before)}`,
          label: label('autotranslate.link-yes'),
          look: 'primary',
        },
        {
          kind: 'button',
          press: `autotranslate refuse:${id}`,
          label: label('autotranslate.link-no'),
        },
      ],
    };
  };

  /** Does something with a message of the bot; undefined where that fails. */
  const tryIn = async <Result>(
    channel: Channel,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      const where = { platform: channel.space.platform, channel: channel.id };
      deps.log.warn(
        { ...where, ...faultFields(thrown) },
        'a channel could not be asked for a link',
      );
      return undefined;
    }
  };

  return {
    /** Asks in the channel of the code and in that of its moderators; resolves with the questions that stand. */
    put: async (request: StoredRequest, held: WhileHeld): Promise<readonly Posted[]> => {
      const { channel } = request.invited;
      const { moderators } = await deps.spaces.of(channel.space);
      const content = await contentOf(request, channel);
      const questions = [await tryIn(channel, () => platforms.send(channel, content, held))];
      if (moderators && moderators.channel !== channel.id) {
        const theirs = { space: channel.space, id: moderators.channel };
        const again = await contentOf(request, theirs);
        questions.push(await tryIn(theirs, () => platforms.send(theirs, again, held)));
      }
      return questions.filter((each) => each !== undefined);
    },
    /**
     * Puts the questions anew where the channel was set up otherwise meanwhile, but the pressed one: resolves with what that is to
     * say, or what the one in the channel says.
     */
    renew: async (
      request: StoredRequest,
      now: ChannelWatch | undefined,
      pressedIn?: Channel,
    ): Promise<Content> => {
      for (const posted of request.questions ?? []) {
        if (pressedIn && isSameChannel(posted.channel, pressedIn)) continue;
        const content = await contentOf(request, posted.channel, [now]);
        await tryIn(posted.channel, () => platforms.edit(posted, content));
      }
      return contentOf(request, pressedIn ?? request.invited.channel, [now]);
    },
    /**
     * Takes the buttons from the questions that were not pressed, and says there what became of the request; resolves with what
     * the pressed one is to say.
     */
    close: async (
      request: StoredRequest,
      became: 'done' | 'refused' | 'withdrawn' | 'linked' | 'gone' | 'changed',
      pressedIn?: Channel,
    ): Promise<Content | undefined> => {
      let pressed: Content | undefined;
      for (const posted of request.questions ?? []) {
        const { channel } = posted;
        const language = await languageIn(channel, request);
        const text = texts.rich(language)(`autotranslate.link-${became}`);
        if (pressedIn && isSameChannel(channel, pressedIn)) pressed = { text };
        else await tryIn(channel, () => platforms.edit(posted, { text }));
      }
      return pressed;
    },
  };
};
