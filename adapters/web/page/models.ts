import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import {
  MODEL_SIZES,
  type InstalledModel,
  type ModelAbility,
  type ModelGap,
  type ModelInstallation,
  type ModelPlan,
  type OfferedModel,
} from '../../../src/model/local-models.ts';
import type { App } from './app.ts';
import { boot, t } from './boot.ts';
import { toolButton } from './icons.ts';
import type { ModelsState } from './models-state.ts';
import { tableFrame } from './table-frame.ts';

/** Languages of a model that are named one by one. */
const MOST_NAMES = 4;

const names = new Intl.DisplayNames([boot.locale], { type: 'language' });
const list = new Intl.ListFormat(boot.locale);

const nameOf = (code: string): string => {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};

const languagesOf = (codes: readonly string[]): string =>
  codes.length > MOST_NAMES
    ? t('web.models.languages-count', { count: codes.length })
    : list.format(codes.map(nameOf));

const sizeOf = (bytes: number): string =>
  bytes >= 1e9
    ? new Intl.NumberFormat(boot.locale, {
        style: 'unit',
        unit: 'gigabyte',
        maximumFractionDigits: 1,
      }).format(bytes / 1e9)
    : new Intl.NumberFormat(boot.locale, {
        style: 'unit',
        unit: 'megabyte',
        maximumFractionDigits: 0,
      }).format(bytes / 1e6);

const abilityName = (ability: ModelAbility): string => t(`web.engines.abilities.${ability}`);

const gapText = ({ need, language }: ModelGap): string =>
  t(`web.models.gaps.${need}`, { language: nameOf(language) });

const chooser = (app: App, state: ModelsState): TemplateResult => html`
  <div class="setting">
    <span id="models-languages">${t('web.models.languages')}</span>
    <ul class="chips" aria-labelledby="models-languages">
      ${state.languages().map(
        (code) =>
          html`<li>
            <bdi>${nameOf(code)}</bdi>
            ${toolButton(t('web.models.leave-out', { language: nameOf(code) }), 'close', () =>
              state.leaveOut(code),
            )}
          </li>`,
      )}
    </ul>
    <select
      aria-label=${t('web.models.add-language')}
      .value=${live('')}
      @change=${(event: Event) => state.add((event.target as HTMLSelectElement).value)}
    >
      <option value="" disabled selected>${t('web.models.add-language')}</option>
      ${app.store
        .get()
        .languages.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
    </select>
  </div>
  <fieldset class="setting">
    <legend>${t('web.models.size')}</legend>
    ${MODEL_SIZES.map(
      (each) =>
        html`<label class="check">
          <input
            type="radio"
            name="model-size"
            .checked=${live(state.size() === each)}
            @change=${() => state.setSize(each)}
          />
          <span>${t(`web.models.sizes.${each}`)}</span>
        </label>`,
    )}
  </fieldset>
`;

const offeredRow = (model: OfferedModel): TemplateResult => html`
  <tr>
    <th scope="row">${model.title}</th>
    <td>${abilityName(model.ability)}</td>
    <td>${languagesOf(model.languages)}</td>
    <td class="size">${sizeOf(model.downloadBytes)}</td>
    <td class="size">${sizeOf(model.memoryBytes)}</td>
    <td class="detail">${model.licence}</td>
  </tr>
`;

const notesView = (notes: readonly string[]): readonly TemplateResult[] =>
  notes.map((note) => html`<p class="gap">${note}</p>`);

/** The means of the machine for the models of a plan, and those that it lacks. */
const machineView = ({ machine, models, lackingBytes }: ModelPlan): TemplateResult => {
  const heavy = models.filter(({ memoryBytes }) => memoryBytes > machine.memoryBytes);
  return html`
    <p>
      ${t('web.models.machine', {
        cores: machine.cores,
        memory: sizeOf(machine.memoryBytes),
        free: sizeOf(machine.freeBytes),
      })}
    </p>
    ${
      heavy.length === 0
        ? nothing
        : html`<p class="gap">
            ${t('web.models.heavy', { names: list.format(heavy.map(({ title }) => title)) })}
          </p>`
    }
    ${
      lackingBytes === 0
        ? nothing
        : html`<p class="fault" role="alert">
            ${t('web.models.lacking', { size: sizeOf(lackingBytes) })}
          </p>`
    }
  `;
};

const planView = (state: ModelsState): TemplateResult | typeof nothing => {
  const plan = state.plan();
  if (!plan) return nothing;
  return html`
    ${notesView(plan.notes)} ${plan.gaps.map((gap) => html`<p class="gap">${gapText(gap)}</p>`)}
    ${
      plan.models.length === 0
        ? html`<p>${t('web.models.nothing-to-do')}</p>`
        : html`${tableFrame(
              t('web.models.to-install'),
              html` <table>
                <thead>
                  <tr>
                    <th scope="col">${t('web.models.model')}</th>
                    <th scope="col">${t('web.engines.serves')}</th>
                    <th scope="col">${t('web.models.languages')}</th>
                    <th scope="col">${t('web.models.download')}</th>
                    <th scope="col">${t('web.models.memory')}</th>
                    <th scope="col">${t('web.models.licence')}</th>
                  </tr>
                </thead>
                <tbody>
                  ${plan.models.map(offeredRow)}
                </tbody>
              </table>`,
            )}
            ${machineView(plan)}
            <p>
              <button
                type="button"
                class="control primary"
                ?disabled=${plan.lackingBytes > 0}
                @click=${() =>
                  state.install(
                    plan.models.map(({ name }) => name),
                    state.size(),
                  )}
              >
                ${t('web.models.install', { size: sizeOf(plan.downloadBytes) })}
              </button>
            </p>`
    }
  `;
};

const OUTCOMES = {
  done: 'web.models.done',
  stopped: 'web.models.stopped',
  failed: 'web.models.failed',
} as const;

const installationView = (state: ModelsState, installation: ModelInstallation): TemplateResult => {
  const {
    names: all,
    ended,
    failures,
    current,
    doneBytes,
    totalBytes,
    reason,
    notes,
  } = installation;
  const left = all.filter((name) => !ended.includes(name));
  const outcome =
    installation.state === 'running'
      ? html`<label class="progress">
            <span
              >${t('web.models.installing', {
                name: current ?? '',
                at: Math.min(all.length, ended.length + failures.length + 1),
                all: all.length,
              })}</span
            >
            <progress
              max=${totalBytes ?? 1}
              value=${totalBytes === undefined ? nothing : Math.min(doneBytes, totalBytes)}
            ></progress>
          </label>
          <p>
            <button type="button" class="control" @click=${() => state.stop()}>
              ${t('web.models.stop')}
            </button>
          </p>`
      : html`<p role="status">${t(OUTCOMES[installation.state])}</p>
          ${reason === undefined ? nothing : html`<p class="fault">${reason}</p>`}
          ${
            installation.state === 'done'
              ? nothing
              : html`<p>
                  <button
                    type="button"
                    class="control primary"
                    @click=${() => state.install(left, installation.size)}
                  >
                    ${t('web.models.go-on')}
                  </button>
                </p>`
          }`;
  return html`<section class="installation">
    ${outcome} ${notesView(notes)}
    ${failures.map(
      ({ name, reason: why }) => html`<p class="fault"><strong>${name}</strong> ${why}</p>`,
    )}
  </section>`;
};

const installedRow =
  (state: ModelsState) =>
  ({ name, ability, languages, bytes, speakers, fault }: InstalledModel): TemplateResult =>
    html`
      <tr>
        <th scope="row">${name}</th>
        <td>${ability ? abilityName(ability) : ''}</td>
        <td>${languagesOf(languages)}</td>
        <td class="size">${sizeOf(bytes)}</td>
        <td class="detail">
          ${fault ?? (speakers === undefined ? '' : t('web.models.speakers', { count: speakers }))}
        </td>
        <td>
          <button
            type="button"
            class="control"
            ?disabled=${state.isRunning()}
            @click=${() => {
              if (confirm(t('web.models.really-remove', { name }))) void state.remove(name);
            }}
          >
            ${t('web.models.remove')}
          </button>
        </td>
      </tr>
    `;

/** The panel in which the operator chooses, installs and removes models. */
export const modelsPanel = (app: App): TemplateResult => {
  const state = app.models;
  const view = state.view();
  const fault = state.fault();
  const installed = view?.installed ?? [];
  const usedBytes = installed.reduce((sum, { bytes }) => sum + bytes, 0);
  return html`
    <p>${t('web.models.intro')}</p>
    ${fault === undefined ? nothing : html`<p class="fault" role="alert">${fault}</p>`}
    ${view?.installation ? installationView(state, view.installation) : nothing}
    ${
      state.isRunning()
        ? nothing
        : html`${chooser(app, state)}
            <p>
              <button
                type="button"
                class="control"
                ?disabled=${state.isPlanning() || state.languages().length === 0}
                @click=${() => state.ask()}
              >
                ${t(state.isPlanning() ? 'web.models.asking' : 'web.models.ask')}
              </button>
            </p>
            ${planView(state)}`
    }
    <h3>${t('web.models.installed')}</h3>
    ${
      view === undefined
        ? nothing
        : html`<p>
            ${t('web.models.disk', { used: sizeOf(usedBytes), free: sizeOf(view.freeBytes) })}
          </p>`
    }
    ${
      installed.length === 0
        ? nothing
        : tableFrame(
            t('web.models.installed'),
            html` <table>
              <tbody>
                ${installed.map(installedRow(state))}
              </tbody>
            </table>`,
          )
    }
  `;
};
