import { renderMessage, renderView, teamOf } from '../render.ts';
import { applyAck, createResponseUrl } from '../response-urls.ts';
import { fieldsOf } from '../blocks.ts';
import { openView, updateView } from '../methods/views.ts';
import type { Outcome } from '../delivery/transport.ts';
import type { Json } from '../json.ts';
import type { Channel, Ephemeral, Message, ResponseUrl, User, View, Workspace } from '../state.ts';
import type { FakeChannel } from './channel.ts';
import type { FakeMessage } from './message.ts';
import type { Tools } from './tools.ts';
import type { FakeUser } from './user.ts';

/** What a person gets to see of their own use: nothing, or Slack's word that the app failed. */
export interface Use {
  /** Undefined as long as the app has not answered; `timeout` and the like: Slack's error. */
  readonly outcome: Promise<Outcome>;
  readonly responseUrl: string | undefined;
}

/** A value that a person enters in a modal, by `block_id` and `action_id`. */
export type Entered = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface InteractionDriver {
  /** Types a slash command with its text into a channel. */
  command(user: FakeUser, channel: FakeChannel, command: string, text?: string): Use;
  messageShortcut(user: FakeUser, message: FakeMessage, callbackId: string): Use;
  globalShortcut(user: FakeUser, callbackId: string): Use;
  /** Presses a button or chooses in a menu of a message, an ephemeral or a view. */
  act(user: FakeUser, on: FakeMessage | Ephemeral | View, actionId: string, chosen?: Json): Use;
  /** Sends a press that the message or view does not offer, as a changed app can. */
  forge(user: FakeUser, on: FakeMessage | View, actionId: string, chosen?: Json): Use;
  /** Types into a menu whose options the app gives. */
  suggest(
    user: FakeUser,
    on: View,
    actionId: string,
    typed: string,
    blockId?: string,
  ): Promise<readonly Json[]>;
  /** Submits the modal on top. Resolves with Slack's errors by block, or undefined. */
  submit(user: FakeUser, entered: Entered): Promise<Json | undefined>;
  close(user: FakeUser): Use | undefined;
}

export const createInteractionDriver = (tools: Tools): InteractionDriver => {
  const { world } = tools;

  const trigger = (user: User, view?: View): string => {
    const id = `${world.clock.id('1')}.${world.clock.id('2')}`;
    world.triggers.set(id, { id, user, createdAt: world.clock.now(), used: false, view });
    return id;
  };

  const person = (user: User): Json => ({
    id: user.id,
    name: user.name,
    username: user.name,
    team_id: user.workspace.id,
  });

  /** How the app came to the workspace: by itself, or with its organisation. */
  const installOf = ({ enterpriseId, installation }: Workspace): Json => ({
    enterprise: enterpriseId === undefined ? null : { id: enterpriseId, name: enterpriseId },
    is_enterprise_install: installation?.organisation !== undefined,
  });

  const common = (user: User): Json => ({
    token: 'verification-token-of-old',
    api_app_id: world.app.id,
    team: teamOf(user.workspace),
    ...installOf(user.workspace),
    user: person(user),
  });

  const known = (url: string): ResponseUrl => {
    const found = world.responseUrls.get(url.split('/').at(-1) ?? '');
    if (!found) throw new Error('no such response_url');
    return found;
  };

  const deliver = (
    kind: 'slash_commands' | 'interactive',
    payload: Json,
    responseUrl: string | undefined,
    acked: (body: unknown) => void = () => {},
  ): Use => ({
    responseUrl,
    outcome: tools
      .transport()
      .deliver({ kind, payload, retry: 0, reason: undefined })
      .then((outcome) => {
        if (outcome.acked) acked(outcome.body);
        world.changed();
        return outcome;
      }),
  });

  const place = (channel: Channel): Json => ({ id: channel.id, name: channel.name });

  /** The element of a control, wherever it stands in blocks. */
  const controlIn = (blocks: readonly Json[], actionId: string): { block: Json; element: Json } => {
    for (const block of blocks) {
      const elements = [
        ...((block['elements'] ?? []) as readonly Json[]),
        block['accessory'] as Json | undefined,
        block['element'] as Json | undefined,
      ];
      const element = elements.find((each) => each?.['action_id'] === actionId);
      if (element) return { block, element };
    }
    throw new Error(`no control ${actionId}; there are ${String(fieldsOf(blocks, 'action_id'))}`);
  };

  const actionOf = (blocks: readonly Json[], actionId: string, chosen: Json): Json => {
    const { block, element } = controlIn(blocks, actionId);
    return {
      action_id: actionId,
      block_id: block['block_id'] ?? 'b1',
      type: element['type'],
      ...(element['value'] === undefined ? {} : { value: element['value'] }),
      ...(element['text'] === undefined ? {} : { text: element['text'] }),
      // What it showed as chosen, as the types of Slack's own library have it.
      ...Object.fromEntries(
        Object.entries(element).filter(([name]) => name.startsWith('initial_')),
      ),
      ...chosen,
      action_ts: world.clock.ts(),
    };
  };

  const actInView = (user: User, view: View, action: Json): Use =>
    deliver(
      'interactive',
      {
        ...common(user),
        type: 'block_actions',
        container: { type: 'view', view_id: view.id },
        trigger_id: trigger(user, view),
        view: renderView(world, view),
        actions: [action],
      },
      undefined,
    );

  const actInMessage = (
    user: User,
    channel: Channel,
    source: Message | Ephemeral,
    action: Json,
  ): Use => {
    const url = createResponseUrl(world, user, channel, source);
    const isPrivate = 'to' in source;
    return deliver(
      'interactive',
      {
        ...common(user),
        type: 'block_actions',
        container: {
          type: 'message',
          message_ts: source.ts,
          channel_id: channel.id,
          is_ephemeral: isPrivate,
          ...(source.threadTs === undefined ? {} : { thread_ts: source.threadTs }),
        },
        trigger_id: trigger(user),
        channel: place(channel),
        // Slack leaves out the message where only one person sees it.
        ...(isPrivate ? {} : { message: renderMessage(world, source, user.workspace) }),
        state: { values: {} },
        response_url: url,
        actions: [action],
      },
      url,
    );
  };

  const blocksOf = (view: View): readonly Json[] => view.content['blocks'] as readonly Json[];

  const forged = (actionId: string, block: Json | undefined, chosen: Json): Json => ({
    type: 'button',
    action_id: actionId,
    block_id: block?.['block_id'] ?? 'b1',
    ...chosen,
    action_ts: world.clock.ts(),
  });

  const channelOf = (ephemeral: Ephemeral): Channel => {
    for (const channel of world.channels.values())
      if (channel.ephemerals.includes(ephemeral)) return channel;
    throw new Error('nobody sees this any more');
  };

  const answerSubmission = (user: User, view: View, body: unknown): Json | undefined => {
    const answer = (typeof body === 'object' && body !== null ? body : {}) as Json;
    const next = answer['view'] as Json;
    switch (answer['response_action']) {
      case 'errors':
        return answer['errors'] as Json;
      case 'update':
        updateView(world, view, next);
        return undefined;
      case 'push':
        openView(world, user, next, 'modal', view);
        return undefined;
      case 'clear':
        for (const each of world.views.values())
          if (each.user === user && each.type === 'modal') each.open = false;
        return undefined;
      default:
        view.open = false;
        return undefined;
    }
  };

  return {
    command: (user, channel, command, text = '') => {
      const responseUrl = createResponseUrl(world, user.state, channel.state);
      const workspace =
        channel.state.workspaces.find(({ id }) => user.state.alsoIn.has(id)) ??
        user.state.workspace;
      return deliver(
        'slash_commands',
        {
          token: 'verification-token-of-old',
          team_id: workspace.id,
          team_domain: workspace.domain,
          channel_id: channel.id,
          channel_name: channel.state.kind === 'im' ? 'directmessage' : channel.state.name,
          user_id: user.id,
          user_name: user.state.name,
          command,
          text,
          api_app_id: world.app.id,
          is_enterprise_install: String(workspace.installation?.organisation !== undefined),
          ...(workspace.enterpriseId === undefined
            ? {}
            : { enterprise_id: workspace.enterpriseId, enterprise_name: workspace.enterpriseId }),
          response_url: responseUrl,
          trigger_id: trigger(user.state),
        },
        responseUrl,
        (body) => applyAck(world, known(responseUrl), body),
      );
    },
    messageShortcut: (user, message, callbackId) => {
      const { channel } = message.state;
      const responseUrl = createResponseUrl(world, user.state, channel);
      return deliver(
        'interactive',
        {
          ...common(user.state),
          type: 'message_action',
          callback_id: callbackId,
          trigger_id: trigger(user.state),
          action_ts: world.clock.ts(),
          message_ts: message.ts,
          channel: place(channel),
          message: renderMessage(world, message.state, user.state.workspace),
          response_url: responseUrl,
        },
        responseUrl,
      );
    },
    globalShortcut: (user, callbackId) =>
      deliver(
        'interactive',
        {
          ...common(user.state),
          type: 'shortcut',
          callback_id: callbackId,
          trigger_id: trigger(user.state),
          action_ts: world.clock.ts(),
        },
        undefined,
      ),
    act: (user, on, actionId, chosen = {}) => {
      if ('hash' in on) return actInView(user.state, on, actionOf(blocksOf(on), actionId, chosen));
      const [channel, source] = 'to' in on ? [channelOf(on), on] : [on.state.channel, on.state];
      const action = actionOf(source.blocks ?? [], actionId, chosen);
      return actInMessage(user.state, channel, source, action);
    },
    forge: (user, on, actionId, chosen = {}) => {
      if ('hash' in on) return actInView(user.state, on, forged(actionId, blocksOf(on)[0], chosen));
      const { channel, blocks } = on.state;
      return actInMessage(user.state, channel, on.state, forged(actionId, blocks?.[0], chosen));
    },
    suggest: async (user, on, actionId, typed, blockId) => {
      const blocks = on.content['blocks'] as readonly Json[];
      const { block } = controlIn(
        blockId === undefined ? blocks : blocks.filter((each) => each['block_id'] === blockId),
        actionId,
      );
      const use = deliver(
        'interactive',
        {
          ...common(user.state),
          type: 'block_suggestion',
          action_id: actionId,
          block_id: block['block_id'] ?? 'b1',
          value: typed,
          container: { type: 'view', view_id: on.id },
          view: renderView(world, on),
        },
        undefined,
      );
      const outcome = await use.outcome;
      const body = (outcome.acked ? outcome.body : {}) as Json;
      return (body['options'] ?? []) as readonly Json[];
    },
    submit: async (user, entered) => {
      const view = user.modal;
      if (!view) throw new Error('no modal is open');
      const shown = { ...renderView(world, view), state: { values: entered } };
      const use = deliver(
        'interactive',
        {
          ...common(user.state),
          type: 'view_submission',
          trigger_id: trigger(user.state, view),
          view: shown,
          response_urls: [],
        },
        undefined,
      );
      const outcome = await use.outcome;
      if (!outcome.acked) return { error: outcome.reason };
      const errors = answerSubmission(user.state, view, outcome.body);
      world.changed();
      return errors;
    },
    close: (user) => {
      const view = user.modal;
      if (!view) return undefined;
      view.open = false;
      if (view.content['notify_on_close'] !== true) return undefined;
      return deliver(
        'interactive',
        {
          ...common(user.state),
          type: 'view_closed',
          view: renderView(world, view),
          is_cleared: false,
        },
        undefined,
      );
    },
  };
};
