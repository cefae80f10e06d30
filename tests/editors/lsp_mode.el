;;; lsp_mode.el --- our server beside a Lean client of lsp-mode, in batch mode  -*- lexical-binding: t -*-
;; Run as: emacs --batch -l SET-UP -l lsp_mode.el FILE COMMAND RESULT.  SET-UP is the blocks of docs/editors/emacs.md,
;; COMMAND the stand-in for Lean's server, as JSON.
(package-initialize)
(require 'cl-lib)
(require 'json)
;; The processes that one has started, as Linux tells.
(defun process-children (pid)
  (cl-loop for other in (list-system-processes)
           when (eql pid (alist-get 'ppid (process-attributes other))) collect other))
(define-derived-mode lean4-mode prog-mode "Lean")
(setq lsp-session-file (make-temp-file "lsp-session") lsp-auto-guess-root t lsp-enable-snippet nil
      lsp-enable-file-watchers nil lsp-keep-workspace-alive nil lsp-restart 'ignore
      lsp-response-timeout 90)
(require 'lsp-mode)

(pcase-let ((`(,file ,command ,result) command-line-args-left))
  (setq command-line-args-left nil)
  (add-to-list 'lsp-language-id-configuration '(lean4-mode . "lean"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (append (json-read-from-string command) nil))
                    :major-modes '(lean4-mode) :server-id 'lean4-lsp))
  (find-file file)
  (lean4-mode)
  (lsp)
  (with-timeout (60 (error "The two servers did not start"))
    (while (< (cl-count 'initialized (lsp-workspaces) :key #'lsp--workspace-status) 2)
      (accept-process-output nil 0.1)))
  (re-search-forward "theorem sum_swapped")
  (search-forward "sorry")
  (delete-region (line-beginning-position) (line-end-position))
  (insert "  exact ")
  (let (offered)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_ table &rest _) (car (setq offered (all-completions "" table))))))
      (premise-suggest-here))
    (let ((line (string-trim (thing-at-point 'line t)))
          (below (with-lsp-workspace (lsp-find-workspace 'premise-suggest file)
                   (process-children (process-id (lsp--workspace-proc lsp--cur-workspace))))))
      (set-buffer-modified-p nil)
      (with-temp-file result
        (insert (json-encode `((line . ,line) (offered . ,(vconcat offered)) (lean . ,below))))))))
