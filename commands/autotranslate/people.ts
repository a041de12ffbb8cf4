import { moderator, type Press, type PressContext } from '../../src/command/command.ts';
import { chosenOver, quotedWords } from '../../src/command/helpers.ts';
import { ruleLines } from '../../src/command/setting-lines.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { memberMention } from '../../src/model/place.ts';
import { bullets, sections } from '../../src/rich-text/compose.ts';
import { back } from './panel-pages.ts';
import { boundedValues } from './rules.ts';

/** Separates the id and the name of a person in what is pressed. */
const AND = '|';
const NAME_CHARS = 32;

type Change = (now: readonly string[]) => readonly string[];

/** Changes whose messages are left out in all channels. Rejects with `bad-input` where the space’s rule leaves out all others. */
const changePeople = (how: Change, { services, channel }: PressContext): Promise<void> =>
  services.spaces.change(channel.space, ({ rules }) => {
    if (rules.people?.only) throw userError('bad-input', 'rules.only-people');
    const of = [...new Set(how(rules.people?.of ?? []))];
    return { rules: { ...rules, people: { of: of.length > 0 ? boundedValues(of) : of } } };
  });

/** Leaves out what the person writes whom a button names, or ends that. */
const decide = (isStopping: boolean): Press => ({
  guards: [moderator],
  private: true,
  run: async (ctx) => {
    const { arg, channel, t, label, reply } = ctx;
    const [id = '', ...rest] = arg.split(AND);
    if (!/^\w+$/.test(id)) throw userError('bad-input', 'rules.how');
    const others: Change = (now) => now.filter((each) => each !== id);
    await changePeople(isStopping ? (now) => [...others(now), id] : others, ctx);
    const name = quotedWords(rest.join(AND), NAME_CHARS) || label('people.unknown');
    const [said, next, press] = isStopping
      ? (['rules.person-stopped', 'rules.allow-person', 'allowperson'] as const)
      : (['rules.person-allowed', 'rules.stop-person', 'stopperson'] as const);
    await reply({
      text: t(said, { name: memberMention(channel.space, id) }),
      controls: [
        { kind: 'button', press: `autotranslate ${press}:${arg}`, label: label(next, { name }) },
      ],
    });
  },
});

/** The page of the people whose messages are left out in all channels, reached from the rules of one. */
export const peoplePage = async (ctx: PressContext): Promise<Content> => {
  const { arg: id, services, channel, label, t } = ctx;
  const { people } = (await services.spaces.of(channel.space)).rules;
  const choice: Control = {
    kind: 'people',
    press: `autotranslate rulepeople:${id}`,
    label: label('rules.panel-people'),
    chosen: people?.of ?? [],
  };
  return {
    text: sections(t('rules.panel-people-how'), bullets(...ruleLines({ people }, ctx))),
    controls: [...(people?.only ? [] : [choice]), back(ctx, `autotranslate rules:${id}`)],
  };
};

/** Takes over who was chosen on that page. */
export const choosePeople = (ctx: PressContext): Promise<void> =>
  changePeople((now) => chosenOver(now, ctx), ctx);

/** The work of the buttons under an answer about a message. */
export const personPresses = { stopperson: decide(true), allowperson: decide(false) };
