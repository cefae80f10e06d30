-- A window that follows the cursor: the goal, the tactics that Lean has accepted and the premises. <CR> inserts a row.
-- premise_suggest.lua opens it (:PremiseView) and must be in the same folder.
local core = require('premise_suggest')
local M = {}

local SLOTS = 6 -- rows for tactics: with room kept for them, no row moves while Lean tries them
local GOAL_LINES = 20 -- a longer goal is cut at the beginning
local TOKEN = 'premise-suggest-view-'
local space = vim.api.nvim_create_namespace('premise_suggest_view')
local view -- the window that is open: its options, client, buffer, and what it shows

local function is_open()
  return view ~= nil and vim.api.nvim_buf_is_valid(view.buffer) and vim.fn.bufwinid(view.buffer) ~= -1
end

--- The lines of a goal or a message, folded to a width.
local function folded(text, width)
  local lines = {}
  for _, line in ipairs(vim.split(text, '\n')) do
    for from = 0, math.max(vim.fn.strchars(line) - 1, 0), width do
      table.insert(lines, vim.fn.strcharpart(line, from, width))
    end
  end
  if #lines > GOAL_LINES then lines = vim.list_extend({ '…' }, vim.list_slice(lines, #lines - GOAL_LINES + 2)) end
  return lines
end

--- Fill the slots of the tactics: those that are there stay where they are, and what closes the goal displaces what
--- does not where all are taken.
local function fill_slots(slots, tactics)
  for _, tactic in ipairs(tactics) do
    local own, free, weak
    for slot = SLOTS, 1, -1 do
      local item = slots[slot]
      if not item then free = slot elseif item.insert == tactic.insert then own = slot
      elseif item.status ~= 'closes' and not weak then weak = slot end
    end
    local slot = own or free or (tactic.status == 'closes' and weak)
    if slot then slots[slot] = tactic end
  end
end

--- Draw the window: the state, and what was answered last, as a comment where it is for an older text.
local function draw()
  local window, lines, headings = vim.fn.bufwinid(view.buffer), {}, { 0 }
  local width = math.max(vim.api.nvim_win_get_width(window) - 2, 20)
  local answer = view.answer
  view.rows = {}
  local function add(text, item)
    table.insert(lines, text)
    view.rows[#lines] = item
  end
  local function heading(text)
    add('')
    add(text)
    table.insert(headings, #lines - 1)
  end
  local notes = answer and vim.list_extend(vim.list_slice(answer.warnings or {}), answer.notes or {}) or {}
  local state = table.concat({ view.state, notes[1] }, ' · ')
  for _, line in ipairs(answer and { core.on_one_line(state, width) } or folded(state, width)) do add(line) end
  if answer and vim.fn.strchars(view.state) > width then table.insert(notes, 1, view.state) end -- cut above: rows keep their places
  if answer then
    for _, line in ipairs(folded(answer.goal, width)) do add(line) end
    heading('Tactics')
    for slot = 1, SLOTS do add(view.slots[slot] and core.on_one_line(view.slots[slot].shown, 400) or '', view.slots[slot]) end
    heading('Premises')
    local tactics = core.tactic_items(answer.tactics or {})
    for _, item in ipairs(core.premise_items(answer.premises, tactics, view.shown)) do add(core.on_one_line(item.shown, 400), item) end
    if #notes > 0 then heading('Notes') end
    for _, note in ipairs(notes) do add(core.on_one_line(note, 1000)) end
  end
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, lines)
  vim.bo[view.buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(view.buffer, space, 0, -1)
  for _, line in ipairs(headings) do
    vim.api.nvim_buf_set_extmark(view.buffer, space, line, 0, { end_row = line, end_col = #lines[line + 1], hl_group = 'Title' })
  end
  vim.wo[window].winhighlight = view.is_current and '' or 'Normal:Comment,Title:Comment'
  vim.cmd('silent doautocmd <nomodeline> User PremiseView')
end

--- Take in an answer, whole or in part, or words where there is none, to the question asked last.
local function take(question, answer, words, is_last)
  if not is_open() or question ~= view.question then return end
  if answer and answer.premises then
    if view.shown ~= question then view.slots, view.shown = {}, question end
    view.answer = answer
  elseif answer then
    view.answer.tactics = answer.tactics
  elseif not question.is_unread then
    view.answer, view.shown = nil, question
  end
  view.is_current, question.is_done = not question.is_unread, is_last
  if answer then fill_slots(view.slots, core.tactic_items(view.answer.tactics or {})) end
  local where = view.answer and core.goal_heading(view.answer, question) or ''
  view.state = words or (where ~= '' and where or 'Goal') .. (is_last and '' or ' · Lean is trying tactics')
  draw()
end

--- Have partial results of our requests come to us; everything else goes where it went.
local function listen(client)
  if client.handlers.premise_suggest_view then return end
  local others = client.handlers['$/progress'] or vim.lsp.handlers['$/progress']
  client.handlers.premise_suggest_view = others
  client.handlers['$/progress'] = function(failure, result, ...)
    local token = result and result.token
    if type(token) ~= 'string' or not vim.startswith(token, TOKEN) then return others(failure, result, ...) end
    if view and view.question and token == view.question.token then take(view.question, result.value) end
  end
end

--- Ask for the goal at the cursor, unless that has been done.
local function ask()
  local buffer = vim.api.nvim_get_current_buf()
  local client = is_open() and buffer ~= view.buffer and core.client(view.options.name, buffer)
  if not client then return end
  local question, last = core.here(buffer), view.question
  local is_same = last and last.buffer == buffer and last.tick == question.tick
  if is_same and vim.deep_equal(last.position, question.position) then return end
  if last and last.cancel and not last.is_done then last.cancel() end
  view.count = view.count + 1
  question.token = TOKEN .. view.count
  question.failed = function(words, failure)
    question.is_unread = type(failure.data) == 'table' and failure.data.kind == 'TextUnread'
    take(question, nil, words, true)
  end
  view.question, view.client = question, client
  listen(client)
  core.suggest(view.options, client, question, 1, { partialResultToken = question.token }, function(answer, words)
    take(question, answer, words, true)
  end)
end

--- The cursor has moved, or the text has changed: dim what is for another text, and ask once the typing pauses.
local function follow()
  if not is_open() then return end
  local shown = view.shown
  local is_old = shown and shown.buffer == vim.api.nvim_get_current_buf() and shown.tick ~= vim.api.nvim_buf_get_changedtick(shown.buffer)
  if is_old and view.is_current then
    view.is_current = false
    draw()
  end
  view.moves = view.moves + 1
  local move = view.moves
  vim.defer_fn(function() if view and view.moves == move then ask() end end, view.options.pause)
end

local function insert_row()
  local item = view.rows[vim.api.nvim_win_get_cursor(0)[1]]
  if not item then return end
  vim.api.nvim_set_current_win(view.shown.window)
  core.insert(view.client, view.shown, item)
end

--- What the window shows, for scripts: whether that is the answer for the text and the cursor as they are, and complete.
function M.is_up_to_date()
  local question = is_open() and view.question
  if not (question and question.is_done) then return false end
  local now = core.here(vim.api.nvim_get_current_buf())
  return now.buffer == question.buffer and now.tick == question.tick and vim.deep_equal(now.position, question.position)
end

--- Open the window, or close it.
function M.toggle(options)
  if is_open() then return vim.api.nvim_win_close(vim.fn.bufwinid(view.buffer), true) end
  local source = vim.api.nvim_get_current_win()
  vim.cmd('botright vnew')
  view = { options = options, buffer = vim.api.nvim_get_current_buf(), slots = {}, rows = {}, state = '…', count = 0, moves = 0 }
  for name, value in pairs({ buftype = 'nofile', bufhidden = 'wipe', swapfile = false, filetype = 'premise_suggest' }) do
    vim.bo[view.buffer][name] = value
  end
  for name, value in pairs({ wrap = false, number = false, relativenumber = false, signcolumn = 'no', cursorline = true }) do
    vim.wo[name] = value
  end
  vim.keymap.set('n', '<CR>', insert_row, { buffer = view.buffer, desc = 'Insert this row' })
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = view.buffer, desc = 'Close the view' })
  draw()
  vim.api.nvim_set_current_win(source)
  local group = vim.api.nvim_create_augroup('premise_suggest_view', {})
  local events = { 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI', 'TextChangedP', 'InsertLeave', 'BufEnter' }
  vim.api.nvim_create_autocmd(events, { group = group, callback = follow })
  follow()
end

return M
