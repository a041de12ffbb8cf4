import { faultFields } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Content } from '../../model/message.ts';
import { channelMention, isSameChannel, type Channel, type Posted } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { lines, sentence } from '../../rich-text/compose.ts';
import { timestamp, type RichText } from '../../rich-text/rich-text.ts';
import type { WhileHeld } from '../../ports/processes.ts';
import type { StoredRequest } from '../../store/channels/link-requests.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Languages } from '../../text/language/languages.ts';
import { replacedText } from '../replaced.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { OwnWatches } from '../watches.ts';
import { nameElsewhere, personElsewhere } from './names.ts';
import type { createLinkedServerNames } from './server-names.ts';

const SECOND_MS = 1_000;

export interface LinkQuestionsDeps {
  readonly own: Pick<OwnWatches, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find' | 'send' | 'edit'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly texts: Pick<Texts, 'rich' | 'in'>;
  readonly languages: Pick<Languages, 'name'>;
  readonly log: Pick<Log, 'warn'>;
  /** Lists the channels that are linked with a channel, itself included; none where it is alone. */
  readonly groupOf: (channel: Channel) => readonly ChannelWatch[];
  readonly lookalike: ReturnType<typeof createLinkedServerNames>['lookalike'];
}

/** The ends of a request, by their sentences. */
export type Became = 'done' | 'refused' | 'withdrawn' | 'linked' | 'gone';

/** Creates the questions by which the side that made a code is asked for a link. */
export const createLinkQuestions = (deps: LinkQuestionsDeps) => {
  const { own, platforms, texts, groupOf } = deps;

  /** The question for its channel, or for that of its moderators. */
  const contentOf = async (
    request: StoredRequest,
    key: 'autotranslate.link-question' | 'moderators.link-asked',
    language: string,
  ): Promise<Content> => {
    const { id, invited, joining, askedBy, expiresMs } = request;
    const [label, t] = [texts.in(language), texts.rich(language)];
    const before = own.of(invited.channel);
    const other = await deps.lookalike(joining.channel.space, invited.channel.space);
    return {
      text: lines(
        t(key, {
          name:
            askedBy === undefined
              ? '–'
              : await personElsewhere(askedBy, joining.channel.space, platforms),
          channel: channelMention(invited.channel),
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
          press: `autotranslate link:${id}`,
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
      const { channel, languages } = request.invited;
      const { moderators } = await deps.spaces.of(channel.space);
      const content = await contentOf(request, 'autotranslate.link-question', languages[0] ?? 'en');
      const questions = [await tryIn(channel, () => platforms.send(channel, content, held))];
      if (moderators && moderators.channel !== channel.id) {
        const theirs = { space: channel.space, id: moderators.channel };
        const again = await contentOf(request, 'moderators.link-asked', moderators.locale);
        questions.push(await tryIn(theirs, () => platforms.send(theirs, again, held)));
      }
      return questions.filter((each) => each !== undefined);
    },
    /**
     * Takes the buttons from the questions that were not pressed, and says there what became of the request; resolves with what
     * the pressed one is to say.
     */
    close: async (
      { questions = [], invited }: StoredRequest,
      became: Became,
      pressedIn?: Channel,
    ): Promise<RichText | undefined> => {
      const { moderators } = await deps.spaces.of(invited.channel.space);
      let pressed: RichText | undefined;
      for (const posted of questions) {
        const { channel } = posted;
        const isOwn = isSameChannel(channel, invited.channel);
        const language = (isOwn ? invited.languages[0] : moderators?.locale) ?? 'en';
        const text = texts.rich(language)(`autotranslate.link-${became}`);
        if (pressedIn && isSameChannel(channel, pressedIn)) pressed = text;
        else await tryIn(channel, () => platforms.edit(posted, { text }));
      }
      return pressed;
    },
  };
};
