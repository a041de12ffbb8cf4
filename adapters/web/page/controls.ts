import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { PageControl, PageMessage } from '../protocol.ts';
import type { App } from './app.ts';
import { t } from './boot.ts';
import { clickOn } from './icons.ts';

type Choice = Extract<PageControl, { kind: 'choice' }>;
type Press = (values: readonly string[]) => void;

/** Not `disabled` while the answer is made anew: it would lose the focus. */
const button = (
  { label, look = 'plain' }: Extract<PageControl, { kind: 'button' }>,
  working: boolean,
  press: Press,
): TemplateResult => html`
  <button
    type="button"
    class="control ${look}"
    aria-disabled=${working ? 'true' : 'false'}
    @click=${clickOn(label, () => press([]))}
  >
    ${label}
  </button>
`;

const oneOf = ({ label, choices }: Choice, press: Press): TemplateResult => html`
  <label class="control-choice">
    <span>${label}</span>
    <select @change=${(event: Event) => press([(event.target as HTMLSelectElement).value])}>
      ${
        choices.some(({ chosen }) => chosen)
          ? nothing
          : html`<option value="" disabled selected>–</option>`
      }
      ${choices.map(
        (choice) =>
          html`<option value=${choice.value} .selected=${choice.chosen ?? false}>
            ${choice.label}
          </option>`,
      )}
    </select>
  </label>
`;

const someOf = (
  { label, choices, most = choices.length }: Choice,
  working: boolean,
  press: Press,
): TemplateResult => html`
  <form
    class="control-choice"
    @submit=${(event: SubmitEvent) => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      press(form.getAll('value').map(String).slice(0, most));
    }}
  >
    <fieldset>
      <legend>${label}</legend>
      ${choices.map(
        ({ value, label: name, chosen }) =>
          html`<label
            ><input
              type="checkbox"
              name="value"
              value=${value}
              .checked=${chosen ?? false}
            />${name}</label
          >`,
      )}
      <button
        type="submit"
        class="control"
        aria-disabled=${working ? 'true' : 'false'}
        @click=${clickOn(t('web.message.apply'))}
      >
        ${t('web.message.apply')}
      </button>
    </fieldset>
  </form>
`;

export const controlsView = (
  app: App,
  { id, controls = [], working }: PageMessage,
): TemplateResult | typeof nothing => {
  if (controls.length === 0) return nothing;
  const view = (control: PageControl): TemplateResult => {
    const press: Press = (values) => {
      if (!working) app.press(id, control.press, values);
    };
    if (control.kind === 'button') return button(control, working, press);
    return control.most === undefined ? oneOf(control, press) : someOf(control, working, press);
  };
  return html`
    <div class="controls" role="group" aria-labelledby="a-${id}">
      ${repeat(controls, ({ press }) => press, view)}
    </div>
  `;
};

/** Gives the focus of a control that went with its press to the message that it stood under. */
export const createFocusKeeper = ({ store }: App): (() => void) => {
  let wasWorking = false;
  return () => {
    const { pressed, messages } = store.get();
    const message = pressed === undefined ? undefined : messages.get(pressed);
    if (!message) return;
    const stands = wasWorking && !message.working;
    wasWorking = message.working;
    if (!stands) return;
    store.set({ pressed: undefined });
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>(`#m-${CSS.escape(message.id)}`)?.focus();
  };
};
