import { faultFields } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Content } from '../../model/message.ts';
import { channelMention, isSameChannel, type Channel, type Posted } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { lines, sentence, series } from '../../rich-text/compose.ts';
import { timestamp } from '../../rich-text/rich-text.ts';
import type { WhileHeld } from '../../ports/processes.ts';
import type { EndedRequest, StoredRequest } from '../../store/channels/link-requests.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { logFailure, type Log } from '../../telemetry/log.ts';
import type { Languages } from '../../text/language/languages.ts';
import { replacedText, setupMark } from '../replaced.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { nameElsewhere, personElsewhere } from './names.ts';
import { isWatchOf } from './partings.ts';
import type { createLinkedServerNames } from './server-names.ts';

const SECOND_MS = 1_000;

export interface LinkQuestionsDeps {
  readonly own: Pick<WatchStore, 'list'>;
  readonly platforms: Pick<WatchedPlatforms, 'all' | 'find' | 'of' | 'send' | 'edit'>;
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
  const languageIn = async (channel: Channel, invited: ChannelWatch): Promise<string> => {
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
    const language = await languageIn(asked, invited);
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

  /** Says what became of a request, as its question in a channel is to say it. */
  const saying = async (
    { invited, became }: Pick<EndedRequest, 'invited' | 'became'>,
    channel: Channel,
  ): Promise<Content> => {
    const t = texts.rich(await languageIn(channel, invited));
    const isOwn = isSameChannel(channel, invited.channel);
    const about = channelMention(invited.channel);
    return { text: series([!isOwn && about, t(`autotranslate.link-${became}`)], ' ') };
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
    /** Asks in the channel of the moderators, or, where that cannot be done, in that of the code; resolves with the question that stands. */
    put: async (request: StoredRequest, held: WhileHeld): Promise<readonly Posted[]> => {
      const { channel } = request.invited;
      const { moderators } = await deps.spaces.of(channel.space);
      const theirs = moderators ? [{ space: channel.space, id: moderators.channel }] : [];
      for (const place of [...theirs, channel]) {
        const content = await contentOf(request, place);
        const posted = await tryIn(place, () => platforms.send(place, content, held));
        if (posted) return [posted];
      }
      return [];
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
    saying,
    /**
     * Says in the questions of a request that is over what became of it, in place of their buttons; false where that is to be
     * tried again.
     */
    close: async (ended: EndedRequest): Promise<boolean> => {
      const edit = async (posted: Posted): Promise<void> => {
        platforms.of(posted.channel);
        await platforms.edit(posted, await saying(ended, posted.channel));
      };
      const faults = ended.questions.map((posted) =>
        logFailure(deps.log, 'a request for a link could not be closed', () => edit(posted)),
      );
      return (await Promise.all(faults)).every((fault) => !fault?.retryable);
    },
  };
};
