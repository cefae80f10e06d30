/** The supervisor: finds the server, keeps it running, and says why where it cannot. */

import * as vscode from "vscode";

import type { Limiter } from "../limiter";
import type { Found } from "./find";
import { crashedAtStart, gaveUp, UNTRUSTED, type Problem } from "./problems";
import { Restarts } from "./restarts";
import { Session } from "./session";
import { show } from "./versions";

export type ServerState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "running" }
  | { readonly kind: "problem"; readonly problem: Problem };

export interface ServerOptions {
  readonly locate: () => Promise<Found>;
  readonly cwd: string;
  readonly channel: vscode.LogOutputChannel;
  readonly limiter: Limiter;
  /** Whether another server completes Lean's names, too; see `middleware`. */
  readonly canCompete: () => boolean;
  readonly onStatus: (status: unknown) => void;
}

/** Thrown by a request where no server runs. */
export class NoServer extends Error {
  constructor() {
    super("The premise-suggest server is not running.");
  }
}

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  /** Fires after every change of state. */
  readonly onDidChange = this.changed.event;

  private current: ServerState = { kind: "idle" };
  private session: Session | undefined;
  private starting: Promise<void> | undefined;
  private readonly restarts = new Restarts();
  /** Which start is the latest; what an earlier one brings is dropped. */
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;

  constructor(private readonly options: ServerOptions) {}

  get state(): ServerState {
    return this.current;
  }

  /** The process that serves; undefined where none runs. */
  get pid(): number | undefined {
    return this.session?.pid;
  }

  /** Start the server unless it runs, is starting, or has been given up. */
  async start(): Promise<void> {
    if (this.current.kind === "problem" || this.current.kind === "running") return;
    await (this.starting ??= this.launch().finally(() => (this.starting = undefined)));
  }

  /** Start the server anew because the user requested it, or because its settings changed. */
  async restart(): Promise<void> {
    this.restarts.reset();
    await this.stop();
    await this.start();
  }

  /** End the server; resolves when its process has ended. */
  async stop(): Promise<void> {
    this.generation += 1;
    clearTimeout(this.timer);
    this.starting = undefined;
    const { session } = this;
    this.session = undefined;
    this.set({ kind: "idle" });
    await session?.end();
  }

  dispose(): void {
    this.disposed = true;
    void this.stop();
    this.changed.dispose();
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return this.running().request(method, params, signal);
  }

  /** As `Session.stopWork`; where no server runs, nothing is left to stop. */
  stopWork(token: string): void {
    this.session?.stopWork(token);
  }

  requestInParts(
    method: string,
    params: object,
    signal: AbortSignal,
    onPart: (part: unknown) => void,
  ): Promise<unknown> {
    return this.running().requestInParts(method, params, signal, onPart);
  }

  private running(): Session {
    if (this.session === undefined || this.current.kind !== "running") throw new NoServer();
    return this.session;
  }

  private async launch(): Promise<void> {
    if (!vscode.workspace.isTrusted) return this.set({ kind: "problem", problem: UNTRUSTED });
    const generation = ++this.generation;
    this.set({ kind: "starting" });
    const found = await this.options.locate();
    if (generation !== this.generation || this.disposed) return;
    if ("problem" in found) return this.set({ kind: "problem", problem: found.problem });
    const { command, args } = found.program;
    this.options.channel.info(`Starting premise-suggest ${show(found.version)}: ${[command, ...args, "serve"].join(" ")}`);
    const session = new Session({
      ...this.options,
      program: found.program,
      onGone: () => this.gone(generation),
    });
    this.session = session;
    try {
      await session.start();
      if (generation === this.generation) this.set({ kind: "running" });
    } catch (error) {
      this.options.channel.error(`The server did not start: ${String(error)}`);
      if (generation === this.generation) await this.failed(session);
      else await session.end();
    }
  }

  /** It ended before it could serve. At a first start it would fail again, so it is left at that. */
  private async failed(session: Session): Promise<void> {
    this.generation += 1;
    this.session = undefined;
    await session.end();
    this.options.channel.error(session.lastWords);
    if (this.restarts.count > 0) this.again();
    else this.set({ kind: "problem", problem: crashedAtStart(session.lastWords) });
  }

  /** The process ended without being stopped. */
  private gone(generation: number): void {
    if (generation !== this.generation || this.disposed || this.current.kind !== "running") return;
    const { session } = this;
    this.generation += 1;
    this.session = undefined;
    void session?.end();
    this.options.channel.error(`The server has ended unexpectedly. ${session?.lastWords ?? ""}`);
    this.again();
  }

  private again(): void {
    if (!this.restarts.take()) return this.set({ kind: "problem", problem: gaveUp(this.restarts.most) });
    this.set({ kind: "starting" });
    this.timer = setTimeout(() => void this.start(), this.restarts.delay);
  }

  private set(state: ServerState): void {
    if (this.disposed) return;
    this.current = state;
    this.changed.fire(state);
  }
}
